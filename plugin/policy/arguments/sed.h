// Reads the scripts of sed, as GNU sed does.
#pragma once

#include "policy/arguments/script.h"
#include "policy/programs/reader.h"

namespace wtool::policy::programs {

Script read_sed(std::string_view script);

// The script in a command line, and the word where it stands; no script when it is in a file.
struct Located {
  std::string script;
  std::size_t word = 0;
};
std::optional<Located> find_script(const ParsedCommand& reading);

std::optional<Problem> check_sed(const ParsedCommand& reading);

}  // namespace wtool::policy::programs
