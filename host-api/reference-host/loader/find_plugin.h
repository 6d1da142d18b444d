// Where the plugin is when --plugin does not say it.
//
// - First beside the program: ../lib/wtool/shell_tools.so, from where the program's own file is.
// - Then the folders of WTOOL_PLUGIN_PATH, separated by colons, in their order; empty entries are skipped. In a folder
//   shell_tools.so counts, else its only *.so; several of which none has that name are an error, not a guess.
#pragma once

#include <string>

namespace wtool::host {

// The path of an existing file. Empty: `error` lists the places that were looked at. `program` is the path of the
// running program, `search_path` the value of WTOOL_PLUGIN_PATH (empty where it is not set).
std::string find_plugin(const std::string& program, const std::string& search_path, std::string& error);

// /proc/self/exe; empty where that cannot be read.
std::string program_path();

}  // namespace wtool::host
