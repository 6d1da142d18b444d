// Quotes text for a POSIX shell.
#pragma once

#include <string>
#include <string_view>

namespace wtool {

// Appends `text` in single quotes, so that a shell reads it as one word with exactly these bytes: the text it's becomes
// 'it'\''s'. A NUL is kept, although no shell accepts one.
void append_shell_quoted(std::string& out, std::string_view text);

// The same, but returns the text.
std::string shell_quoted(std::string_view text);

// The text as a person would write it as one word: quoted only if a shell would otherwise read it differently.
std::string shell_word(std::string_view text);

// The text with a backslash before each of its characters that is in `special`. For text inside double quotes, that is
// "\\$`\""; for a here-document, "\\$`".
std::string with_backslashes(std::string_view text, std::string_view special);

}  // namespace wtool
