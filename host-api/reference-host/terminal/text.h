// Texts as a person at a terminal sees them: durations, safe texts, widths, and parts of long outputs.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace wtool::host {

// `0.03 s`, `12.4 s`, `3 min 05 s`, `1 h 02 min`.
std::string duration_text(std::chrono::steady_clock::duration duration);

// The text without escape sequences and control characters, so that it cannot control a terminal. Newlines stay if
// `keep_newlines`, else they become blanks; tabs become blanks. Bytes that are not UTF-8 become '?'.
std::string cleaned_for_terminal(std::string_view text, bool keep_newlines);

// In columns of a terminal; wide characters (CJK) count two. `text` must be clean.
std::size_t display_width(std::string_view text);

// At most `columns` wide; what was cut ends with an ellipsis, which is `...` where the locale is not UTF-8.
std::string cut_to_width(std::string_view text, std::size_t columns);

// Padded with blanks to that width.
std::string padded(std::string_view text, std::size_t columns);

inline constexpr std::size_t max_excerpt_lines = 20;

// Appends a title and, below it, lines of the text, each after a mark. Of many lines only the last (`tail`) or the
// first are shown, and the title says so. Appends nothing if the text is blank.
void append_excerpt(std::string& out, const std::string& title, std::string_view text, std::size_t lines, bool tail);

}  // namespace wtool::host
