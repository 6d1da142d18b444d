// Whether the helper program is there, can be executed, and is of this build.
#pragma once

#include <string>

namespace wtool::engine {

// Checks the file. Empty when it is good; otherwise a sentence that names the path, what is wrong and what to do. Only
// reads the file, which takes some tens of microseconds.
std::string check_warden_file(const std::string& path);

}  // namespace wtool::engine
