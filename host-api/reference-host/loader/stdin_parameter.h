// `stdin`, a text for the standard input of a command. shell_execute accepts it as a parameter only if the
// configuration says so (shell.stdin), as the configuration of this host always does. The tool's descriptor does not
// list the parameter.
#pragma once

#include <string_view>

#include "base/json.h"

namespace wtool::host {

inline constexpr std::string_view stdin_tool = "shell_execute";

// Adds `stdin` to the input schema of shell_execute.
void add_stdin(nlohmann::ordered_json& schema);

// Adds `text` as `stdin` to the arguments of a call, which are the JSON text of an object. Arguments that are not an
// object stay unchanged, because the tool reports that mistake. Returns any other mistake; empty: `text` was added, or
// the arguments are not an object.
std::string give_stdin(std::string& arguments, std::string_view text);

}  // namespace wtool::host
