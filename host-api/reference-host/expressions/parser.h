// Parses a condition such as `exit_code == 0 && !log.contains("error")`.
//
//   or      = and { "||" and }
//   and     = compare { "&&" compare }
//   compare = unary { ("==" | "!=" | "<" | "<=" | ">" | ">=") unary }
//   unary   = ("!" | "-") unary | member
//   member  = primary { "." name [ "(" [or] ")" ] | "[" or "]" }
//   primary = literal | name | name "(" [or] ")" | "(" or ")"
//
// Bounded: texts up to `longest_expression` bytes, trees up to `deepest_expression` levels; so neither parsing nor
// evaluating can use up the stack or the time. This is to grow into a larger subset of CEL; the precedence is CEL's.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "expressions/lexer.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

inline constexpr std::size_t longest_expression = 16384;
inline constexpr std::size_t deepest_expression = 200;

struct Node {
  enum class Kind {
    literal,    // value
    name,       // text
    field,      // operands[0] . text
    index,      // operands[0] [ operands[1] ]
    method,     // operands[0] . text ( operands[1]... )
    function,   // text ( operands... )
    not_,       // ! operands[0]
    negate,     // - operands[0]
    and_,       // operands[0] && operands[1]
    or_,        // operands[0] || operands[1]
    comparison  // operands[0] text operands[1]
  };
  Kind kind = Kind::literal;
  std::size_t offset = 0;  // where errors about it point
  std::size_t height = 1;
  Value value;
  std::string text;
  std::vector<std::unique_ptr<const Node>> operands;
};

// A variable that an expression reads, with the first field taken of it, if any. For checks before a run.
struct NameUse {
  std::string name;
  std::string field;
  std::size_t offset = 0;
};

struct Expression {
  std::shared_ptr<const Node> root;
  std::vector<NameUse> names;
};

std::variant<Expression, ExpressionError> parse_expression(std::string_view text);

}  // namespace wtool::host::expressions
