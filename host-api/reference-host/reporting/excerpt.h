// A part of a long output, for a person at a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wtool::host::workflow {

inline constexpr std::size_t most_excerpt_lines = 20;

// Appends a title and the lines below it, each behind a mark; of many only the last ones (`tail`) or the first ones,
// and the title says so. Nothing where the text is blank.
void append_excerpt(std::string& out, const std::string& title, std::string_view text, std::size_t lines, bool tail);

}  // namespace wtool::host::workflow
