// The commands of tier one that look at files and keep them, as tables. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/covenant.h"

namespace wtool::policy::covenant {

// Nothing: it is none of them.
std::optional<Reading> read_filesystem_command(const std::vector<std::string>& words);

// `find`, whose arguments are an expression.
Reading read_find(const std::vector<std::string>& words);

}  // namespace wtool::policy::covenant
