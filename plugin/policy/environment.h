// The environment of a command: what the host has, and what the call adds. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::policy {

using Variables = std::vector<std::pair<std::string, std::string>>;

// True for [A-Za-z_][A-Za-z0-9_]*, what every shell can name.
bool is_variable_name(std::string_view name);

// "NAME=value" texts: the inherited ones in their order, each name once (the first counts, as getenv has it), changed
// and followed by `additions`. PWD is `directory`, whatever anybody says, as every shell sees to it; an inherited
// OLDPWD is left out, for the command has been nowhere else.
std::vector<std::string> compose_environment(const char* const* inherited, const Variables& additions,
                                             std::string_view directory);

// The value of a name in such a list; `fallback` when it is not there.
std::string_view find_variable(const std::vector<std::string>& variables, std::string_view name,
                               std::string_view fallback);

}  // namespace wtool::policy
