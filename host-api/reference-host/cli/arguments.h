// The arguments of a call as the command line gives them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace wtool::host {

inline constexpr std::size_t arguments_size_limit = 16 << 20;  // bytes, as in tool.h

// "-" is standard input, "@FILE" the file, anything else the text itself. Nothing is changed or checked: that is the
// plugin's task. Nothing when it cannot be read or is too large: `error` says why.
std::optional<std::string> read_arguments(const std::string& word, std::string& error);

}  // namespace wtool::host
