#include "workflow/model/parameter_limits.h"

#include <re2/re2.h>

#include <algorithm>
#include <cstdio>

namespace wtool::host::workflow {
namespace {

using expressions::Value;

re2::RE2::Options quiet() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  return options;
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}

// The value of a secret must not be in a message.
std::string shown(const Parameter& parameter, const Value& value) {
  return parameter.secret ? "the value" : expressions::quoted_for_message(expressions::to_text(value));
}

bool is_choice(const Parameter& parameter, const Value& value) {
  return std::any_of(parameter.choices.begin(), parameter.choices.end(),
                     [&](const Value& choice) { return expressions::to_json(choice) == expressions::to_json(value); });
}

std::string choice_problem(const Parameter& parameter, const Value& value) {
  if (parameter.choices.empty() || is_choice(parameter, value)) return "";
  std::string all;
  for (const Value& choice : parameter.choices) all += (all.empty() ? "" : ", ") + expressions::to_text(choice);
  return shown(parameter, value) + " is not one of: " + all;
}

std::string range_problem(const Parameter& parameter, const Value& value) {
  const double number = value.as_int() != nullptr      ? static_cast<double>(*value.as_int())
                        : value.as_double() != nullptr ? *value.as_double()
                                                       : 0;
  if (parameter.minimum && number < *parameter.minimum) {
    return shown(parameter, value) + " is less than the minimum " + number_text(*parameter.minimum);
  }
  if (parameter.maximum && number > *parameter.maximum) {
    return shown(parameter, value) + " is more than the maximum " + number_text(*parameter.maximum);
  }
  return "";
}

std::string text_problem(const Parameter& parameter, const Value& value, const std::string& text) {
  const std::int64_t length = character_count(text);
  const auto characters = [](std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " character" : " characters");
  };
  if (parameter.shortest && length < *parameter.shortest) {
    return shown(parameter, value) + " has " + characters(length) + ", and needs at least " +
           std::to_string(*parameter.shortest);
  }
  if (parameter.longest && length > *parameter.longest) {
    return shown(parameter, value) + " has " + characters(length) + ", and may have at most " +
           std::to_string(*parameter.longest);
  }
  if (parameter.pattern.empty() || re2::RE2::PartialMatch(text, re2::RE2(parameter.pattern, quiet()))) return "";
  return shown(parameter, value) + " does not match the pattern " + parameter.pattern;
}

}  // namespace

std::string limit_problem(const Parameter& parameter, const Value& value) {
  if (const expressions::List* list = value.as_list()) {
    for (const Value& element : *list) {
      if (std::string problem = choice_problem(parameter, element); !problem.empty()) return problem;
    }
    return "";
  }
  if (std::string problem = choice_problem(parameter, value); !problem.empty()) return problem;
  if (parameter.type == Parameter::Type::number) return range_problem(parameter, value);
  const std::string* text = value.as_text();
  return parameter.type == Parameter::Type::text && text != nullptr ? text_problem(parameter, value, *text) : "";
}

std::string pattern_problem(const std::string& pattern) {
  const re2::RE2 compiled(pattern, quiet());
  return compiled.ok() ? "" : compiled.error();
}

std::int64_t character_count(const std::string& text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
}

}  // namespace wtool::host::workflow
