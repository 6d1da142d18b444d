// Parses a condition such as `exit_code == 0 && !log.contains("error")`: a subset of CEL, with CEL's precedence.
//
//   expression = or [ "?" or ":" expression ]
//   or         = and { "||" and }
//   and        = relation { "&&" relation }
//   relation   = sum { ("==" | "!=" | "<" | "<=" | ">" | ">=" | "in") sum }
//   sum        = product { ("+" | "-") product }
//   product    = unary { ("*" | "/" | "%") unary }
//   unary      = ("!" | "-") unary | member
//   member     = primary { "." name [ "(" arguments ")" ] | "[" expression "]" }
//   primary    = literal | name | name "(" arguments ")" | "(" expression ")" | "[" list "]" | "{" map "}"
//
// In the tags of a template, the words `and`, `or` and `not` may replace the signs (`not` before a whole relation), `a
// contains b` means a.includes(b), and a test may be of any type, not only bool: see Node::Kind::truth.
//
// Bounded: texts up to `max_expression` bytes, trees up to `max_expression_depth` levels; so neither parsing nor
// evaluating can use up the stack.
#pragma once

#include <cstddef>
#include <string_view>
#include <variant>

#include "expressions/expression.h"
#include "expressions/lexer.h"

namespace wtool::host::expressions {

inline constexpr std::size_t max_expression_depth = 200;

std::variant<Expression, ExpressionError> parse_expression(std::string_view text);

struct TagExpression {
  Expression expression;
  std::size_t end = 0;  // where the `%}`, the `-%}` or the `|` stands that ended it
};

// Whether the expression is a test, which asks whether there is anything, or the value that a loop goes through.
enum class TagUse { test, value };

// Reads from `begin`; all offsets are those in `text`.
std::variant<TagExpression, ExpressionError> parse_tag_expression(std::string_view text, std::size_t begin, TagUse use);

}  // namespace wtool::host::expressions
