// The subcommands of git that only read, as tables, and what keeps them from executing anything. Pure.
#pragma once

#include <string>
#include <vector>

#include "policy/covenant.h"

namespace wtool::policy::covenant {

// `words` begins with git.
Reading read_git(const std::vector<std::string>& words);

// For a command of git of tier one: no prompts, no locks, no transport, and no repository above `root`.
Variables git_environment(const std::string& root);

}  // namespace wtool::policy::covenant
