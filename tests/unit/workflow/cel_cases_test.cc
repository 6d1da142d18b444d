// Runs expressions on whose results other implementations of CEL agree: tests/data/cel-cases.jsonl, one case a line.
// They are the public conformance tests of CEL (github.com/google/cel-spec) that need no unsigned ints, bytes, times or
// messages: an expression and its value.
//
//   {"area": ..., "expression": ..., "given": {name: value}, "value": ...}     or "error": true in place of "value"
//
// A value {"double": "inf"} is that double, for which JSON has no number. Where this language differs from CEL,
// "differs" names the reason, and "here" is the result here, a value or {"error": "a part of the message"}.
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "expressions/expression.h"
#include "expressions/value.h"
#include "values_scope.h"

namespace cel_cases_test {

using namespace wtool::host::expressions;
using Json = nlohmann::json;

namespace {

class Given final : public wtool::test::ValuesScope {
 public:
  explicit Given(const Json& values) : ValuesScope(Values{}) {
    for (const auto& [name, value] : values.items()) values_.emplace(name, *from_json(value));
  }
};

std::variant<Value, ExpressionError> result_of(const std::string& expression, const Json& given) {
  auto parsed = parse_expression(expression);
  if (auto* error = std::get_if<ExpressionError>(&parsed)) return *error;
  return evaluate(std::get<Expression>(parsed), Given(given));
}

// In this comparison, an int never equals a double.
bool is(const Value& value, const Json& expected) {
  if (expected.is_number_float()) return value.as_double() != nullptr && *value.as_double() == expected.get<double>();
  if (expected.is_number()) return value.as_int() != nullptr && *value.as_int() == expected.get<std::int64_t>();
  if (expected.is_array()) {
    const List* list = value.as_list();
    if (list == nullptr || list->size() != expected.size()) return false;
    for (std::size_t i = 0; i < list->size(); ++i) {
      if (!is((*list)[i], expected[i])) return false;
    }
    return true;
  }
  if (expected.is_string()) return value.as_text() != nullptr && *value.as_text() == expected.get<std::string>();
  if (expected.is_object() && expected.contains("double")) {
    return value.as_double() != nullptr && *value.as_double() == std::stod(expected.at("double").get<std::string>());
  }
  return to_json(value) == expected.dump();
}

std::string shown(const std::variant<Value, ExpressionError>& result) {
  if (const auto* error = std::get_if<ExpressionError>(&result)) {
    return std::to_string(error->offset) + ": " + error->message;
  }
  return to_json(std::get<Value>(result));
}

bool as_expected(const std::variant<Value, ExpressionError>& result, const Json& one) {
  const auto* error = std::get_if<ExpressionError>(&result);
  if (!one.contains("differs")) {
    if (one.value("error", false)) return error != nullptr;
    return error == nullptr && is(std::get<Value>(result), one.at("value"));
  }
  const Json& here = one.at("here");
  if (here.is_object() && here.contains("error")) {
    return error != nullptr && error->message.find(here.at("error").get<std::string>()) != std::string::npos;
  }
  return error == nullptr && is(std::get<Value>(result), here);
}

}  // namespace

BOOST_AUTO_TEST_CASE(expressions_have_the_values_that_cel_gives_them_or_differ_knowingly) {
  std::ifstream file(WTOOL_TEST_SOURCE_DIR "/tests/data/cel-cases.jsonl");
  BOOST_REQUIRE(file.is_open());
  std::size_t same = 0;
  for (std::string line; std::getline(file, line);) {
    const Json one = Json::parse(line);
    const auto result = result_of(one.at("expression"), one.value("given", Json::object()));
    BOOST_TEST(as_expected(result, one), line << "\n  gave " << shown(result));
    if (!one.contains("differs")) ++same;
  }
  BOOST_TEST(same > 500U);
}

}  // namespace cel_cases_test
