// Splits the line of an execute_run call into words. The line is never shell text: it is refused if a shell would do
// more with it than split it into words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::policy::covenant {

inline constexpr std::string_view operators_refused = "Shell operators not allowed";
inline constexpr std::string_view syntax_refused = "Invalid shell syntax";

struct Line {
  std::string refusal;             // the message; not empty: the line is refused, and has no words
  std::vector<std::string> words;  // at least one
};

// A pure function.
Line read_line(std::string_view line);

// The line without the spaces and newlines around it, as it is shown, asked about, and kept in `.clada/commands.json`.
std::string_view trimmed(std::string_view line);

}  // namespace wtool::policy::covenant
