#include "base/json_reader.h"
#include "workflow/model/parameters.h"

#include <algorithm>
#include <cstdint>

#include "expressions/value.h"

namespace wtool::host::workflow {
namespace {

using expressions::Value;
using nlohmann::json;
using nlohmann::ordered_json;

struct TypeName {
  const char* in_schema;
  const char* in_message;
};

TypeName name_of(Parameter::Type type) {
  switch (type) {
    case Parameter::Type::text:
      return {"string", "a string"};
    case Parameter::Type::number:
      return {"number", "a number"};
    case Parameter::Type::boolean:
      return {"boolean", "true or false"};
    case Parameter::Type::list:
      break;
  }
  return {"array", "a list of strings"};
}

ordered_json as_json(const Value& value) { return parse_ordered_json_or_throw(expressions::to_json(value)); }

// A whole limit is written as a whole number.
ordered_json limit_json(double limit) {
  constexpr double exact = 9007199254740992.0;  // 2 to the power of 53
  const bool is_whole =
      limit >= -exact && limit <= exact && static_cast<double>(static_cast<std::int64_t>(limit)) == limit;
  return is_whole ? ordered_json(static_cast<std::int64_t>(limit)) : ordered_json(limit);
}

std::string description_of(const Parameter& parameter) {
  std::string text = parameter.description;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (!parameter.pattern.empty()) add("must match (RE2) " + parameter.pattern);
  if (parameter.secret) add("a secret, which is never shown or kept");
  return text;
}

ordered_json schema_of(const Parameter& parameter) {
  ordered_json schema{{"type", name_of(parameter.type).in_schema}};
  if (std::string text = description_of(parameter); !text.empty()) schema["description"] = std::move(text);
  ordered_json choices = ordered_json::array();
  for (const Value& choice : parameter.choices) choices.push_back(as_json(choice));
  if (parameter.type == Parameter::Type::list) {
    schema["items"] = {{"type", "string"}};
    if (!choices.empty()) schema["items"]["enum"] = std::move(choices);
  } else if (!choices.empty()) {
    schema["enum"] = std::move(choices);
  }
  if (parameter.minimum) schema["minimum"] = limit_json(*parameter.minimum);
  if (parameter.maximum) schema["maximum"] = limit_json(*parameter.maximum);
  if (parameter.shortest) schema["minLength"] = *parameter.shortest;
  if (parameter.longest) schema["maxLength"] = *parameter.longest;
  if (parameter.fallback && !parameter.secret) schema["default"] = as_json(*parameter.fallback);
  return schema;
}

bool has_type(const Value& value, Parameter::Type type) {
  switch (type) {
    case Parameter::Type::text:
      return value.as_text() != nullptr;
    case Parameter::Type::number:
      return value.as_int() != nullptr || value.as_double() != nullptr;
    case Parameter::Type::boolean:
      return value.as_bool() != nullptr;
    case Parameter::Type::list:
      break;
  }
  const expressions::List* list = value.as_list();
  return list != nullptr &&
         std::all_of(list->begin(), list->end(), [](const Value& element) { return element.as_text() != nullptr; });
}

}  // namespace

ordered_json parameters_schema(const Workflow& workflow) {
  ordered_json properties = ordered_json::object();
  ordered_json required = ordered_json::array();
  for (const Parameter& parameter : workflow.parameters) {
    properties[parameter.name] = schema_of(parameter);
    if (parameter.required && !parameter.condition && !parameter.fallback) required.push_back(parameter.name);
  }
  ordered_json schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

std::optional<Value> argument_value(const Parameter& parameter, const json& given, std::string& why) {
  std::optional<Value> value = expressions::from_json(given);
  if (value && has_type(*value, parameter.type)) return value;
  why = std::string("must be ") + name_of(parameter.type).in_message;
  if (!parameter.secret) why += ", but is " + expressions::quoted_json(given);
  return std::nullopt;
}

}  // namespace wtool::host::workflow
