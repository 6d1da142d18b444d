// Cuts the text of an expression into tokens. Linear; looks at nothing but characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expressions/value.h"

namespace wtool::host::expressions {

inline constexpr std::size_t max_expression = 16384;  // bytes

// Where and why a text was not understood, or could not be evaluated.
struct ExpressionError {
  std::size_t offset = 0;  // bytes from the start of the text that was parsed
  std::string message;     // for people; without the place
};

struct Token {
  enum class Kind { end, name, literal, symbol };
  Kind kind = Kind::end;
  std::size_t offset = 0;
  std::string_view text;       // of the expression; must outlive the token
  Value value;                 // of a literal: int, double, string, bool or null
  bool only_negative = false;  // 9223372036854775808, which is an int behind a minus only
};

// A name starts with a letter, an underscore or any character beyond ASCII, and continues with those and digits.
bool is_name_start(char c);
bool is_name_character(char c);

// The last token is always `end`.
std::variant<std::vector<Token>, ExpressionError> tokenize(std::string_view text);

// The tokens from `begin` up to what ends an expression in a template's tag: `%}`, `-%}`, or the `|` before a filter.
// The offset of the `end` token is that place.
std::variant<std::vector<Token>, ExpressionError> tokenize_in_tag(std::string_view text, std::size_t begin);

}  // namespace wtool::host::expressions
