// The line of an execute_run call as words. It is never shell text: anything that a shell would do with it beyond
// splitting it into words is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::policy::covenant {

inline constexpr std::string_view operators_refused = "Shell operators not allowed";
inline constexpr std::string_view syntax_refused = "Invalid shell syntax";

struct Line {
  std::string refusal;             // not empty: the message, and there are no words
  std::vector<std::string> words;  // at least one
};

// Pure.
Line read_line(std::string_view line);

// Without the spaces and newlines around it: what is shown, asked for, and kept in `.clada/commands.json`.
std::string_view trimmed(std::string_view line);

}  // namespace wtool::policy::covenant
