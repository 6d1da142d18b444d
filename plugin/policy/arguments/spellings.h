// Ways to have a program run that the tables of options do not tell: words that are not options, abbreviations, and
// options with their value attached.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/programs/spec.h"

namespace wtool::policy::programs {

// The first word of the command that makes the tool run a program in such a way, or may.
std::optional<Problem> find_odd_program(std::string_view tool, const std::vector<std::string>& words);

}  // namespace wtool::policy::programs
