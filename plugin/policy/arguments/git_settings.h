// The settings that git takes on its command line: which only change how things look, and which run programs.
#pragma once

#include "policy/programs/reader.h"

namespace wtool::policy::programs {

// For `arguments: safe`: a setting of git -c that is not known to be harmless.
std::optional<Problem> check_git_settings(const ParsedCommand& reading);

// For any arguments: settings and addresses that name a program to run.
std::optional<Problem> find_git_program(const ParsedCommand& reading);

}  // namespace wtool::policy::programs
