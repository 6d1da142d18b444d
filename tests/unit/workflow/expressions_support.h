// What the tests of expressions need: some variables, and what an expression makes of them.
#pragma once

#include <string>

#include "expressions/expression.h"
#include "values_scope.h"

namespace wtool::test {

class ExpressionScope final : public ValuesScope {
  using Value = host::expressions::Value;

 public:
  ExpressionScope() : ValuesScope(Values{}) {
    values_["exit_code"] = Value(std::int64_t{3});
    values_["success"] = Value(false);
    values_["failure"] = Value(true);
    values_["name"] = Value("Grüße");
    values_["count"] = Value("12");
    values_["ratio"] = Value(0.5);
    values_["nothing"] = Value();
    values_["items"] = Value(host::expressions::List{Value("a"), Value("b")});
    host::expressions::Map outcome;
    outcome.text = "built";
    outcome.fields["stdout"] = Value("built\n");
    outcome.fields["exit_code"] = Value(std::int64_t{0});
    values_["build"] = Value(std::move(outcome));
  }
};

// The value as JSON, or "OFFSET: message".
inline std::string result_of(const std::string& text) {
  const auto parsed = host::expressions::parse_expression(text);
  if (const auto* error = std::get_if<host::expressions::ExpressionError>(&parsed)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  const ExpressionScope scope;
  const auto value = host::expressions::evaluate(std::get<host::expressions::Expression>(parsed), scope);
  if (const auto* error = std::get_if<host::expressions::ExpressionError>(&value)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  return host::expressions::to_json(std::get<host::expressions::Value>(value));
}

}  // namespace wtool::test
