
#include "base/json.h"
#include "base/json_reader.h"
#include "base/sha256.h"
#include "base/shell_quote.h"
#include "runner/actions.h"
#include "runner/secrets.h"

namespace wtool::host::runner {

using expressions::ExpressionError;
using expressions::Value;
using nlohmann::json;
using workflow::Argument;

namespace {

json to_json_value(const Value& value) {
  if (const std::string* text = value.as_text()) return *text;
  return parse_json_or_throw(expressions::to_json(value));
}

}  // namespace

std::string shown_call(const std::string& tool, json arguments, const Secrets* secrets) {
  if (tool == workflow::shell_tool && arguments.is_object() && arguments.contains("stdin")) {
    json& text = arguments["stdin"];
    if (text.is_string()) {
      const auto& bytes = text.get_ref<const std::string&>();
      if (secrets != nullptr && secrets->masked(bytes) != bytes) {
        text = Secrets::mask;
      } else {
        text = {{"bytes", bytes.size()}, {"sha256", sha256(bytes)}};
      }
    } else if (!text.is_null()) {
      text = describe_json(text);
    }
  }
  return tool + " " + dumped(arguments);
}

std::variant<Value, ExpressionError> rendered_value(const expressions::Template& text,
                                                    const expressions::Scope& values) {
  if (!text.has_tags() && text.placeholders.size() == 1 && text.texts[0].empty() && text.texts[1].empty()) {
    auto single = expressions::resolve(text.placeholders[0], values);
    if (std::holds_alternative<ExpressionError>(single)) return single;
    if (text.placeholders[0].has(expressions::Filter::Kind::shell_quote)) {
      return Value(shell_quoted(expressions::to_text(std::get<Value>(single))));
    }
    return single;
  }
  auto rendered = expressions::render_text(text, values);
  if (auto* error = std::get_if<ExpressionError>(&rendered)) return std::move(*error);
  return Value(std::get<std::string>(std::move(rendered)));
}

std::optional<json> rendered_arguments(const json& arguments, const expressions::Scope& values, std::string& why) {
  if (arguments.is_string()) {
    auto parsed = expressions::parse_template(arguments.get_ref<const std::string&>());
    const auto* text = std::get_if<expressions::Template>(&parsed);
    if (text == nullptr) return arguments;  // cannot happen: the checker refuses such a text
    auto value = rendered_value(*text, values);
    if (const auto* error = std::get_if<ExpressionError>(&value)) {
      why = error->message;
      return std::nullopt;
    }
    why = expressions::withheld_within(std::get<Value>(value));
    if (!why.empty()) return std::nullopt;
    return to_json_value(std::get<Value>(value));
  }
  if (!arguments.is_structured()) return arguments;
  json made = arguments.is_object() ? json::object() : json::array();
  for (const auto& [key, entry] : arguments.items()) {
    auto rendered = rendered_arguments(entry, values, why);
    if (!rendered) return std::nullopt;
    if (arguments.is_object()) {
      made[key] = std::move(*rendered);
    } else {
      made.push_back(std::move(*rendered));
    }
  }
  return made;
}

std::optional<std::map<std::string, Value>> rendered_arguments(const std::vector<Argument>& arguments,
                                                               const WorkflowInvocation& invocation,
                                                               const expressions::Scope& values, std::string& why) {
  std::map<std::string, Value> made;
  for (const Argument& argument : arguments) {
    if (argument.guard) {
      const auto there = rendered_text(*argument.guard, invocation, values, why);
      if (!there) return std::nullopt;
      if (there->empty()) continue;
    }
    if (const auto* literal = std::get_if<Value>(&argument.value)) {
      made.insert_or_assign(argument.name, *literal);
      continue;
    }
    const auto& text = std::get<workflow::TemplateText>(argument.value);
    auto value = rendered_value(text.parsed, values);
    if (const auto* error = std::get_if<ExpressionError>(&value)) {
      why = with_place(invocation, text.written.locate(error->offset), error->message);
      return std::nullopt;
    }
    made.insert_or_assign(argument.name, std::get<Value>(std::move(value)));
  }
  return made;
}

}  // namespace wtool::host::runner
