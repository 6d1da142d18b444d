#include "workflow/model/parameter_schema.h"

#include <cstdint>

namespace wtool::host::workflow {
namespace {

using expressions::Value;
using nlohmann::json;
using nlohmann::ordered_json;

const char* type_name(Parameter::Type type) {
  switch (type) {
    case Parameter::Type::text:
      return "string";
    case Parameter::Type::number:
      return "number";
    case Parameter::Type::boolean:
      return "boolean";
    case Parameter::Type::list:
      break;
  }
  return "array";
}

ordered_json as_json(const Value& value) { return ordered_json::parse(expressions::to_json(value)); }

// A limit that is whole is written so.
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
  if (parameter.secret) add("a secret, which is shown and kept nowhere");
  return text;
}

ordered_json schema_of(const Parameter& parameter) {
  ordered_json schema{{"type", type_name(parameter.type)}};
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

std::optional<Value> list_of(const json& given) {
  if (!given.is_array()) return std::nullopt;
  expressions::List list;
  for (const json& element : given) {
    if (!element.is_string()) return std::nullopt;
    list.emplace_back(element.get<std::string>());
  }
  return Value(std::move(list));
}

std::optional<Value> number_of(const json& given) {
  // Beyond 63 bits it is as it would be on a command line.
  if (given.is_number_unsigned() && given.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return Value(given.get<double>());
  }
  if (given.is_number_integer()) return Value(given.get<std::int64_t>());
  if (given.is_number_float()) return Value(given.get<double>());
  return std::nullopt;
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
  std::optional<Value> value;
  switch (parameter.type) {
    case Parameter::Type::text:
      if (given.is_string()) value = Value(given.get<std::string>());
      break;
    case Parameter::Type::number:
      value = number_of(given);
      break;
    case Parameter::Type::boolean:
      if (given.is_boolean()) value = Value(given.get<bool>());
      break;
    case Parameter::Type::list:
      value = list_of(given);
      break;
  }
  if (value) return value;
  const std::string wanted = parameter.type == Parameter::Type::text      ? "a string"
                             : parameter.type == Parameter::Type::number  ? "a number"
                             : parameter.type == Parameter::Type::boolean ? "true or false"
                                                                          : "a list of strings";
  why = "must be " + wanted;
  if (!parameter.secret) {
    why += ", and is " + expressions::quoted_for_message(given.dump(-1, ' ', false, json::error_handler_t::replace));
  }
  return std::nullopt;
}

}  // namespace wtool::host::workflow
