// Cuts the text of an expression into tokens. Linear; looks at nothing but characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expressions/value.h"

namespace wtool::host::expressions {

// Where and why a text was not understood, or could not be evaluated.
struct ExpressionError {
  std::size_t offset = 0;  // bytes from the start of the expression
  std::string message;     // for people; without the place
};

struct Token {
  enum class Kind { end, name, literal, symbol };
  Kind kind = Kind::end;
  std::size_t offset = 0;
  std::string_view text;  // of the expression; must outlive the token
  Value value;            // of a literal: int, double, string, bool or null
};

// Names start with a letter, an underscore or any character beyond ASCII, and go on with those and digits.
bool is_name_start(char c);
bool is_name_character(char c);

// The last token is always `end`.
std::variant<std::vector<Token>, ExpressionError> tokenize(std::string_view text);

}  // namespace wtool::host::expressions
