// Whether the helper program is there, can be executed, and is of this build.
#pragma once

#include <string>

namespace wtool::engine {

// Empty when all is well; otherwise a sentence that names the path, what is wrong with it and what to do. Only reads
// the file: some tens of microseconds.
std::string check_warden_file(const std::string& path);

}  // namespace wtool::engine
