// `stdin`, a text for the standard input of a command. shell_execute accepts it as a parameter only if the
// configuration says so (shell.stdin), as this host's always does. The tool's descriptor does not list it.
#pragma once

#include <string_view>

#include "base/json.h"

namespace wtool::host {

inline constexpr std::string_view stdin_tool = "shell_execute";

// Adds `stdin` to the input schema of that tool.
void add_stdin(nlohmann::ordered_json& schema);

// Adds `text` as `stdin` to the arguments of a call, which are the JSON text of an object. Arguments that are not an
// object stay unchanged, and the tool reports them. Returns any other mistake; empty: none.
std::string give_stdin(std::string& arguments, std::string_view text);

}  // namespace wtool::host
