// Which bytes are special to a shell, and which characters are invisible. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace wtool::policy {

inline bool is_name_start(char c) { return is_letter(c) || c == '_'; }
inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// True if the character ends a word outside of quotes; '\0' is the end of the text.
inline bool ends_word(char c) {
  return c == '\0' || is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '(' || c == ')' ||
         c == '<' || c == '>';
}

// True for characters that are never special in an unquoted word, in any shell and at any position.
inline bool is_plain(char c) {
  return is_word_character(c) || c == '-' || c == '.' || c == '/' || c == ',' || c == '+' || c == '@' || c == '%' ||
         c == '^' || c == '}' || c == ']' || c == '#';
}

// True for control characters, and for characters that look like a blank or like nothing, but are not blanks to a
// shell.
bool is_hidden(std::uint32_t code_point);

// The code point as text, such as "U+00A0".
std::string name_of(std::uint32_t code_point);

}  // namespace wtool::policy
