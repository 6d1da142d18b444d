// Makes text harmless to show: for log lines, and for all other text of a plugin or a command that a terminal shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wtool {

// True if the character controls a terminal, changes the writing direction, or breaks lines.
bool is_control(std::uint32_t code_point);

// Appends `text` to `out` as valid UTF-8 in which nothing controls a terminal. Characters for which is_control() is
// true become \n, \t, \r, \xNN or \uNNNN; bytes that are not UTF-8 become \xNN. All other characters stay, including
// the backslash. Characters in `keep` (ASCII) are never escaped.
void append_escaped(std::string& out, std::string_view text, std::string_view keep = {});

// The same, but returns the text.
std::string escaped(std::string_view text, std::string_view keep = {});

// Like escaped(), but for texts that a person reads before approving something: characters that are invisible or look
// like a blank also become \uNNNN or \U00NNNNNN. These are characters without a glyph (zero width, format, fillers,
// variation selectors, tags), blanks other than the plain space, private-use characters, and letters that are written
// from right to left. If anything is escaped, every backslash of the text is doubled, so that no two texts of which
// something is escaped look the same. A reader must be told whether something is escaped.
std::string visible(std::string_view text, std::string_view keep = {});

}  // namespace wtool
