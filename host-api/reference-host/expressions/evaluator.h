// Evaluates a parsed expression. A mismatch of types is an error, never silently false; `&&` and `||` need only the
// operand that decides, and ignore errors of the other one. Bounded in time and memory by a budget.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "expressions/budget.h"
#include "expressions/expression.h"
#include "expressions/lexer.h"
#include "expressions/value.h"

namespace wtool::host::expressions {

// Where names get their values.
class Scope {
 public:
  virtual ~Scope() = default;
  // The value, valid until the scope changes; null for an unknown name.
  virtual const Value* find(std::string_view name) const = 0;
  // One sentence for the message when find() gave null.
  virtual std::string why_not(std::string_view name) const = 0;
};

std::variant<Value, ExpressionError> evaluate(const Expression& expression, const Scope& scope);

// The same for several evaluations that share a budget.
std::variant<Value, ExpressionError> evaluate(const Expression& expression, const Scope& scope, Budget& budget);

}  // namespace wtool::host::expressions
