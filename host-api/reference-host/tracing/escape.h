// Makes text harmless to show: for log lines, and for whatever else comes from a plugin or a command to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace wtool::host {

// Appends `text` to `out` as valid UTF-8 in which nothing controls a terminal: control characters become \n, \t, \r,
// \xNN or \uNNNN, so do characters that turn the writing direction or break lines, and bytes that are not UTF-8 become
// \xNN. All else, the backslash included, stays. Characters in `keep` (ASCII) stay too.
void append_escaped(std::string& out, std::string_view text, std::string_view keep = {});

// The same as a value.
std::string escaped(std::string_view text, std::string_view keep = {});

// As escaped(), and nothing stays invisible or looks like something else that is blank: characters without a glyph
// (zero width, format, fillers, variation selectors, tags), blanks other than the plain space, and private ones become
// \uNNNN or \U00NNNNNN, too. For what a person has to judge.
std::string visible(std::string_view text);

}  // namespace wtool::host
