// The environment of this process: its variables, and the name of its machine.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace wtool {

// The value of the variable `name`, unchanged. If the variable is not set, or its value is not an absolute path:
// `otherwise`.
inline std::string environment_folder(const char* name, std::string otherwise = {}) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] == '/' ? std::string(value) : std::move(otherwise);
}

// The user's folder for state, $XDG_STATE_HOME, else ~/.local/state. Empty: HOME is not known, either.
inline std::string state_folder() {
  const std::string home = environment_folder("HOME");
  return environment_folder("XDG_STATE_HOME", home.empty() ? home : home + "/.local/state");
}

// All variables, as "NAME=value".
inline std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** at = ::environ; at != nullptr && *at != nullptr; ++at) variables.emplace_back(*at);
  return variables;
}

// Empty: the kernel returns an error.
inline std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace wtool
