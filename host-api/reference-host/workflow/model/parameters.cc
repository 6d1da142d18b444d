#include "workflow/model/parameters.h"

#include <re2/re2.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>

#include "base/edit_distance.h"
#include "base/re2_options.h"
#include "base/text.h"
#include "base/utf8.h"
#include "expressions/expression.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {
namespace {

using expressions::Value;

// The inputs that are known so far.
class InputScope final : public expressions::Scope {
 public:
  explicit InputScope(const std::map<std::string, Value>& inputs) : inputs_(inputs) {}
  const Value* find(std::string_view name) const override {
    const auto found = inputs_.find(std::string(name));
    return found == inputs_.end() ? nullptr : &found->second;
  }
  std::string why_not(std::string_view name) const override { return "'" + std::string(name) + "' was not given"; }

 private:
  const std::map<std::string, Value>& inputs_;
};

// Whether a parameter without a value needs one. A condition that cannot be evaluated, because it reads a missing
// value, counts as false.
bool needs_value(const Parameter& parameter, const std::map<std::string, Value>& inputs) {
  if (!parameter.required || !parameter.condition) return parameter.required;
  const auto result = expressions::evaluate(*parameter.condition, InputScope(inputs));
  const Value* value = std::get_if<Value>(&result);
  return value != nullptr && value->as_bool() != nullptr && *value->as_bool();
}

Value list_value(const std::string& text) {
  expressions::List list;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    list.emplace_back(trim(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return Value(std::move(list));
}

}  // namespace

const Parameter* find_parameter(const Workflow& workflow, std::string_view name) {
  const auto found = std::find_if(workflow.parameters.begin(), workflow.parameters.end(),
                                  [&](const Parameter& parameter) { return parameter.name == name; });
  return found == workflow.parameters.end() ? nullptr : &*found;
}

std::optional<Value> parameter_value(Parameter::Type type, const std::string& text, std::string& why, bool secret) {
  const auto shown = [&] { return secret ? "the value" : expressions::quoted_for_message(text); };
  if (type == Parameter::Type::text) return Value(text);
  if (type == Parameter::Type::list) return list_value(text);
  if (type == Parameter::Type::boolean) {
    if (text == "true" || text == "false") return Value(text == "true");
    why = shown() + " is not a boolean; write true or false";
    return std::nullopt;
  }
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  if (const auto parsed = std::from_chars(text.data(), end, whole); parsed.ptr == end && !text.empty()) {
    if (parsed.ec == std::errc()) return Value(whole);
    if (parsed.ec == std::errc::result_out_of_range) {
      why = shown() + " does not fit into 64 bits";
      return std::nullopt;
    }
  }
  double number = 0;
  if (read_number(text, number) && number - number == 0) return Value(number);
  why = shown() + " is not a number";
  return std::nullopt;
}

namespace {

// Collects the inputs for resolve_inputs().
class InputCollector {
 public:
  InputCollector(const Workflow& workflow, const std::vector<std::string>& used, const std::string& option,
                 std::vector<std::string>& errors)
      : workflow_(workflow), used_(used), option_(option), errors_(errors) {}

  // `entry` is KEY=VALUE.
  void take_text(const std::string& entry) {
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    if (equals == std::string::npos || name.empty()) {
      errors_.push_back("--var takes NAME=VALUE, but got " + expressions::quoted_for_message(entry));
      return;
    }
    named_.insert(name);
    const std::string text = entry.substr(equals + 1);
    if (!is_utf8(text)) return complain(name, "the value is not valid UTF-8");
    const Parameter* const declared = find_parameter(workflow_, name);
    if (declared == nullptr && is_used(name)) {
      inputs_.insert_or_assign(name, Value(text));
    } else if (declared == nullptr) {
      complain(name, "the workflow has no parameter of that name" + did_you_mean(name, known_names()));
    } else {
      std::string why;
      const std::optional<Value> value = parameter_value(declared->type, text, why, declared->secret);
      if (!value) return complain(name, why);
      take(*declared, *value);
    }
  }

  // A value that take_text() was given takes precedence.
  void take_value(const std::string& name, const Value& value) {
    if (named_.contains(name)) return;
    if (const Parameter* const declared = find_parameter(workflow_, name)) {
      named_.insert(name);
      take(*declared, value);
    } else if (is_used(name)) {
      inputs_.insert_or_assign(name, value);
    }
  }

  void take_defaults() {
    for (const Parameter& parameter : workflow_.parameters) {
      if (parameter.fallback && !named_.contains(parameter.name)) inputs_.emplace(parameter.name, *parameter.fallback);
    }
  }

  // An empty file or variable usually means that the secret was not set up. An empty default is meant.
  void require_secrets() {
    for (const Parameter& parameter : workflow_.parameters) {
      const auto found = inputs_.find(parameter.name);
      if (!parameter.secret || found == inputs_.end() || !named_.contains(parameter.name)) continue;
      const std::string* const text = found->second.as_text();
      if (text == nullptr || !text->empty() || !needs_value(parameter, inputs_)) continue;
      complain(parameter.name,
               std::string("the value is empty, but this secret is required; ") +
                   (option_.empty() ? "give it a value" : "put it into the file or the variable that is named here"));
    }
  }

  void require_values() {
    for (const Parameter& parameter : workflow_.parameters) {
      const std::string& name = parameter.name;
      if (inputs_.contains(name) || named_.contains(name) || !needs_value(parameter, inputs_)) continue;
      errors_.push_back("the required parameter '" + name + "' is missing" + how_to_give(parameter) +
                        (parameter.description.empty() ? "" : " (" + parameter.description + ")"));
    }
  }

  std::map<std::string, Value> inputs() && { return std::move(inputs_); }

 private:
  void complain(const std::string& name, const std::string& problem) {
    errors_.push_back(option_ + name + ": " + problem);
  }

  void take(const Parameter& parameter, const Value& value) {
    const std::string problem = limit_problem(parameter, value);
    if (!problem.empty()) return complain(parameter.name, problem);
    inputs_.insert_or_assign(parameter.name, value);
  }

  bool is_used(const std::string& name) const { return std::find(used_.begin(), used_.end(), name) != used_.end(); }

  std::vector<std::string> known_names() const {
    std::vector<std::string> known = used_;
    for (const Parameter& parameter : workflow_.parameters) known.push_back(parameter.name);
    return known;
  }

  std::string how_to_give(const Parameter& parameter) const {
    if (option_.empty()) return "";
    const std::string& name = parameter.name;
    if (!parameter.secret) return "; give it with " + option_ + name + "=VALUE";
    return "; give it with --var-file " + name + "=FILE or --var-env " + name + "=VARIABLE";
  }

  const Workflow& workflow_;
  const std::vector<std::string>& used_;
  const std::string& option_;
  std::vector<std::string>& errors_;
  std::map<std::string, Value> inputs_;
  std::set<std::string> named_;  // what was given a value, even if the value is wrong
};

}  // namespace

std::map<std::string, Value> resolve_inputs(const Workflow& workflow, const std::vector<std::string>& given,
                                            const std::vector<std::string>& used, std::vector<std::string>& errors,
                                            const std::map<std::string, Value>& values, const std::string& option) {
  InputCollector collector(workflow, used, option, errors);
  for (const std::string& entry : given) collector.take_text(entry);
  for (const auto& [name, value] : values) collector.take_value(name, value);
  collector.take_defaults();
  collector.require_secrets();
  collector.require_values();
  return std::move(collector).inputs();
}

std::map<std::string, Value> resolve_arguments(const Workflow& workflow, const std::map<std::string, Value>& arguments,
                                               const std::vector<std::string>& used, std::vector<std::string>& errors) {
  const auto takes_list = [&](const std::string& name) {
    const Parameter* const declared = find_parameter(workflow, name);
    return declared != nullptr && declared->type == Parameter::Type::list;
  };
  std::vector<std::string> texts;
  std::map<std::string, Value> lists;
  for (const auto& [name, value] : arguments) {
    // A list is not passed as text, because its elements may contain commas.
    if (value.as_list() != nullptr && takes_list(name)) {
      lists.emplace(name, value);
    } else {
      texts.push_back(name + "=" + expressions::to_text(value));
    }
  }
  std::map<std::string, Value> inputs = resolve_inputs(workflow, texts, used, errors, lists, "");
  // A parameter without a type keeps the value that it was given: a list stays a list.
  for (const auto& [name, value] : arguments) {
    const auto found = inputs.find(name);
    if (found != inputs.end() && found->second.as_text() != nullptr) found->second = value;
  }
  return inputs;
}

std::vector<const Parameter*> missing_parameters(const Workflow& workflow, const std::vector<std::string>& given) {
  std::vector<std::string> ignored;
  const std::map<std::string, Value> inputs = resolve_inputs(workflow, given, {}, ignored);
  std::vector<const Parameter*> missing;
  for (const Parameter& parameter : workflow.parameters) {
    const bool named = std::any_of(given.begin(), given.end(),
                                   [&](const std::string& entry) { return entry.starts_with(parameter.name + "="); });
    if (!named && !inputs.contains(parameter.name) && needs_value(parameter, inputs)) missing.push_back(&parameter);
  }
  return missing;
}

// ---- Limits of a value.

namespace {

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", number);
  return text;
}

// A message must not contain the value of a secret.
std::string value_text(const Parameter& parameter, const Value& value) {
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
  return value_text(parameter, value) + " is not one of: " + all;
}

std::string range_problem(const Parameter& parameter, const Value& value) {
  const double number = value.as_int() != nullptr      ? static_cast<double>(*value.as_int())
                        : value.as_double() != nullptr ? *value.as_double()
                                                       : 0;
  if (parameter.minimum && number < *parameter.minimum) {
    return value_text(parameter, value) + " is less than the minimum " + number_text(*parameter.minimum);
  }
  if (parameter.maximum && number > *parameter.maximum) {
    return value_text(parameter, value) + " is more than the maximum " + number_text(*parameter.maximum);
  }
  return "";
}

std::string text_problem(const Parameter& parameter, const Value& value, const std::string& text) {
  const auto length = static_cast<std::int64_t>(character_count(text));
  if (parameter.shortest && length < *parameter.shortest) {
    return value_text(parameter, value) + " has " + counted(length, "character") + ", but needs at least " +
           std::to_string(*parameter.shortest);
  }
  if (parameter.longest && length > *parameter.longest) {
    return value_text(parameter, value) + " has " + counted(length, "character") + ", but may have at most " +
           std::to_string(*parameter.longest);
  }
  if (parameter.pattern.empty() || re2::RE2::PartialMatch(text, re2::RE2(parameter.pattern, re2_options()))) return "";
  return value_text(parameter, value) + " does not match the pattern " + parameter.pattern;
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

std::string argument_problem(const Parameter& parameter, const Value& value) {
  if (value.as_list() != nullptr && parameter.type == Parameter::Type::list) return limit_problem(parameter, value);
  std::string why;
  const auto read = parameter_value(parameter.type, expressions::to_text(value), why, parameter.secret);
  return read ? limit_problem(parameter, *read) : why;
}

std::string pattern_problem(const std::string& pattern) {
  const re2::RE2 compiled(pattern, re2_options());
  return compiled.ok() ? "" : compiled.error();
}

}  // namespace wtool::host::workflow
