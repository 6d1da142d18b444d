// Checks that the helper program exists, can be executed, and has this build's version of the protocol.
#pragma once

#include <string>

namespace wtool::engine {

// Empty if the file can be used; otherwise a sentence with the path, the problem and the remedy. Only reads the file,
// which takes some tens of microseconds.
std::string check_warden_file(const std::string& path);

}  // namespace wtool::engine
