// The builtins of a shell that a line may have. Their words are judged as those of a program would be.
#pragma once

#include <string_view>

#include "policy/programs/reader.h"

namespace wtool::policy {

// True for builtins that change no files or variables, and treat their words as a program would.
inline bool only_looks(std::string_view name) {
  return programs::is_listed(": true false echo printf test [ pwd exit", name);
}

// True for the builtins that a judged line may have. Their words are all literal, and they change the shell only as
// these words say.
inline bool is_harmless_builtin(std::string_view name) {
  return only_looks(name) || programs::is_listed("cd export", name);
}

}  // namespace wtool::policy
