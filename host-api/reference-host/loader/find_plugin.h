// Finds the plugin when --plugin is not given.
//
// - First beside the program: ../lib/wtool/shell_tools.so, from the folder of the program's own file.
// - Then in the folders of WTOOL_PLUGIN_PATH, separated by colons, in their order; empty entries are skipped. In a
//   folder, shell_tools.so counts, else its only *.so. If it has several and none of that name, that is an error, not a
//   guess.
#pragma once

#include <string>

namespace wtool::host {

// The path of an existing file. Empty: `error` lists the places that were tried. `program` is the path of the running
// program, `search_path` the value of WTOOL_PLUGIN_PATH (empty if it is not set).
std::string find_plugin(const std::string& program, const std::string& search_path, std::string& error);

// /proc/self/exe; empty where that cannot be read.
std::string program_path();

}  // namespace wtool::host
