// Makes text harmless to show: for log lines, and for whatever else comes from a plugin or a command to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace wtool {

// Appends `text` to `out` as valid UTF-8 in which nothing controls a terminal. Control characters become \n, \t, \r,
// \xNN or \uNNNN, as do characters that turn the writing direction or break lines; bytes that are not UTF-8 become
// \xNN. All other characters stay, the backslash included. Characters in `keep` (ASCII) stay too.
void append_escaped(std::string& out, std::string_view text, std::string_view keep = {});

// The same as a value.
std::string escaped(std::string_view text, std::string_view keep = {});

// For texts that a person judges: as escaped(), and characters that are invisible or look like a blank become \uNNNN or
// \U00NNNNNN, too. These are characters without a glyph (zero width, format, fillers, variation selectors, tags),
// blanks other than the plain space, and private ones.
std::string visible(std::string_view text);

}  // namespace wtool
