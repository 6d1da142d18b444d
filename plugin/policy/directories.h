// The working directory of a command: opened once, and then used by descriptor, so that nothing can be swapped between
// the check and the use.
#pragma once

#include <string>
#include <variant>

#include "system/descriptor.h"

namespace wtool::policy {

struct Directory {
  Descriptor descriptor;
  std::string path;  // canonical: absolute, without symbolic links
};

struct DirectoryError {
  std::string message;  // names the path and says what is wrong
  std::string hint;
  int error = 0;  // errno
};

// Opens `path`, relative to the current directory of this process; empty means that directory itself.
std::variant<Directory, DirectoryError> open_directory(const std::string& path);

}  // namespace wtool::policy
