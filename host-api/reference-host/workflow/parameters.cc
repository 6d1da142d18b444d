#include "workflow/parameters.h"

#include <algorithm>
#include <charconv>

#include "workflow/suggestion.h"

namespace wtool::host::workflow {
namespace {

using expressions::Value;

std::string choices_text(const Parameter& parameter) {
  std::string out;
  for (const Value& choice : parameter.choices) out += (out.empty() ? "" : ", ") + expressions::to_text(choice);
  return out;
}

bool is_choice(const Parameter& parameter, const Value& value) {
  return parameter.choices.empty() ||
         std::any_of(parameter.choices.begin(), parameter.choices.end(),
                     [&](const Value& choice) { return expressions::to_json(choice) == expressions::to_json(value); });
}

}  // namespace

std::optional<Value> parameter_value(Parameter::Type type, const std::string& text, std::string& why) {
  if (type == Parameter::Type::text) return Value(text);
  if (type == Parameter::Type::boolean) {
    if (text == "true" || text == "false") return Value(text == "true");
    why = expressions::quoted_for_message(text) + " is not a boolean; write true or false";
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto parsed = std::from_chars(text.data(), end, whole); parsed.ec == std::errc() && parsed.ptr == end) {
    return Value(whole);
  }
  double number = 0;
  if (const auto parsed = std::from_chars(text.data(), end, number, std::chars_format::general);
      parsed.ec == std::errc() && parsed.ptr == end && number - number == 0) {
    return Value(number);
  }
  why = expressions::quoted_for_message(text) + " is not a number";
  return std::nullopt;
}

std::map<std::string, Value> resolve_inputs(const Workflow& workflow, const std::vector<std::string>& given,
                                            const std::vector<std::string>& used, std::vector<std::string>& errors) {
  std::map<std::string, Value> inputs;
  std::vector<std::string> known = used;
  for (const Parameter& parameter : workflow.parameters) known.push_back(parameter.name);
  for (const std::string& entry : given) {
    const std::size_t equals = entry.find('=');
    const std::string key = entry.substr(0, equals);
    if (equals == std::string::npos || key.empty()) {
      errors.push_back("--var takes NAME=VALUE, and got " + expressions::quoted_for_message(entry));
      continue;
    }
    const std::string text = entry.substr(equals + 1);
    if (find_invalid_utf8(text) != std::string::npos) {
      errors.push_back("--var " + key + ": the value is not valid UTF-8");
      continue;
    }
    const auto declared = std::find_if(workflow.parameters.begin(), workflow.parameters.end(),
                                       [&](const Parameter& parameter) { return parameter.name == key; });
    if (declared == workflow.parameters.end()) {
      if (std::find(used.begin(), used.end(), key) != used.end()) {
        inputs.insert_or_assign(key, Value(text));
      } else {
        errors.push_back("--var " + key + ": the workflow has no parameter of that name" + did_you_mean(key, known));
      }
      continue;
    }
    std::string why;
    const std::optional<Value> value = parameter_value(declared->type, text, why);
    if (!value) {
      errors.push_back("--var " + key + ": " + why);
    } else if (!is_choice(*declared, *value)) {
      errors.push_back("--var " + key + ": " + expressions::quoted_for_message(text) +
                       " is none of the choices: " + choices_text(*declared));
    } else {
      inputs.insert_or_assign(key, *value);
    }
  }
  const auto was_given = [&given](const std::string& name) {
    return std::any_of(given.begin(), given.end(),
                       [&](const std::string& entry) { return entry.starts_with(name + "="); });
  };
  for (const Parameter& parameter : workflow.parameters) {
    if (inputs.contains(parameter.name) || was_given(parameter.name)) continue;
    if (parameter.fallback) {
      inputs.emplace(parameter.name, *parameter.fallback);
    } else if (parameter.required) {
      errors.push_back("the required parameter '" + parameter.name + "' is missing; give it with --var " +
                       parameter.name + "=VALUE" +
                       (parameter.description.empty() ? "" : " (" + parameter.description + ")"));
    }
  }
  return inputs;
}

}  // namespace wtool::host::workflow
