// Evaluates a parsed expression. A mismatch of types is an error, never a quiet false; `&&` and `||` stop at the first
// operand that decides.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "expressions/parser.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

// Where names get their values.
class Scope {
 public:
  virtual ~Scope() = default;
  // The value, valid until the scope changes; null where the name has none.
  virtual const Value* find(std::string_view name) const = 0;
  // One sentence for the message when find() gave null.
  virtual std::string why_not(std::string_view name) const = 0;
};

std::variant<Value, ExpressionError> evaluate(const Expression& expression, const Scope& scope);

// The field `name` of a value, or the sentence that says why there is none.
std::variant<Value, std::string> field_of(const Value& value, std::string_view name);

// The element of a list, counted from 0, or the sentence that says why there is none.
std::variant<Value, std::string> element_of(const Value& value, std::size_t index);

}  // namespace wtool::host::expressions
