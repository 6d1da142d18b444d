// What this process's environment says of folders.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>

namespace wtool {

// The folder that the variable `name` holds, as it is written; `otherwise` where it is unset or no absolute path.
inline std::string environment_folder(const char* name, std::string otherwise = {}) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? std::string(value) : std::move(otherwise);
}

}  // namespace wtool
