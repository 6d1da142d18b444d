#include "workflow/parse/front_matter.h"

#include <algorithm>

#include "base/edit_distance.h"
#include "base/text.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/parameters.h"

namespace wtool::host::workflow {
namespace {

using expressions::Value;

const std::vector<std::string> parameter_keys = {"name",       "description", "type",      "required", "default",
                                                 "choices",    "pattern",     "min",       "max",      "min_length",
                                                 "max_length", "validation",  "condition", "secret"};
const std::vector<std::string> limit_keys = {"choices", "pattern", "min", "max", "min_length", "max_length"};

// `${NAME}` and nothing else.
bool is_shell_variable(const std::string& text) {
  return text.size() > 3 && text.starts_with("${") && text.find('}') == text.size() - 1;
}

}  // namespace

bool is_parameter_name(const std::string& text) {
  return !text.empty() && expressions::is_name_start(text[0]) &&
         std::all_of(text.begin(), text.end(), expressions::is_name_character);
}

Parameter ParameterReader::read(const YAML::Node& entry) {
  made_.offset = yaml_.offset(entry);
  yaml_.each(entry,
             [this](const std::string& name, const YAML::Node& value, const YAML::Node& at) { key(name, value, at); });
  if (!named_) yaml_.fail(entry, "this parameter has no name");
  choices();
  if (must_choose_ && (!choices_.IsDefined() || choices_.IsNull())) {
    yaml_.fail(entry, std::string("a parameter of type ") +
                          (made_.type == Parameter::Type::list ? "multi_choice" : "choice") +
                          " needs a list of choices");
  }
  check_limits(entry);
  fallback();
  return std::move(made_);
}

void ParameterReader::key(const std::string& key, const YAML::Node& value, const YAML::Node& at) {
  if (key == "name") return name(value);
  if (key == "type") return type(value);
  if (key == "condition") return condition(value);
  if (key == "default") return fallback_.reset(value);
  if (key == "description") {
    yaml_.text(value, key, made_.description);
  } else if (key == "required") {
    yaml_.boolean(value, key, made_.required);
  } else if (key == "secret") {
    yaml_.boolean(value, key, made_.secret);
  } else if (key == "validation") {
    if (!value.IsMap()) return yaml_.fail(value, "'validation' needs more deeply indented lines such as `min: 1`");
    yaml_.each(value, [this](const std::string& inner, const YAML::Node& node, const YAML::Node& place) {
      if (limit(inner, node, place) || inner == "examples") return;
      yaml_.fail(place, "unknown key '" + inner + "' of a validation" + known_names(inner, "keys", limit_keys));
    });
  } else if (!limit(key, value, at) && key != "examples" && key != "type_hint") {
    yaml_.fail(at, "unknown key '" + key + "' of a parameter" + known_names(key, "keys", parameter_keys));
  }
}

// Reads the value if the key names a limit. False: the key does not name a limit.
bool ParameterReader::limit(const std::string& key, const YAML::Node& value, const YAML::Node& at) {
  if (std::find(limit_keys.begin(), limit_keys.end(), key) == limit_keys.end()) return false;
  // A limit may be directly in the parameter or in its `validation`, but not in both.
  if (const auto [first, is_new] = limits_.try_emplace(key, yaml_.line(at)); !is_new) {
    yaml_.fail(at, "the key '" + key + "' occurs here a second time; the first one is in line " +
                       std::to_string(first->second));
    return true;
  }
  if (key == "choices") {
    choices_.reset(value);
  } else if (key == "pattern") {
    pattern(value);
  } else if (key == "min") {
    bound(value, key, made_.minimum);
  } else if (key == "max") {
    bound(value, key, made_.maximum);
  } else if (key == "min_length") {
    length(value, key, made_.shortest);
  } else if (key == "max_length") {
    length(value, key, made_.longest);
  }
  return true;
}

void ParameterReader::name(const YAML::Node& node) {
  named_ = true;
  if (!yaml_.text(node, "name", made_.name) || is_parameter_name(made_.name)) return;
  yaml_.fail(node,
             "the name of a parameter is made of letters, digits and underscores, and does not start with a digit; " +
                 expressions::quoted_for_message(made_.name) + " is not such a name");
  made_.name.clear();
}

void ParameterReader::type(const YAML::Node& node) {
  std::string name;
  if (!yaml_.text(node, "type", name)) return;
  const std::string type = lowered(name);
  must_choose_ = type == "choice" || type == "multi_choice";
  if (type == "string" || type == "choice") {
    made_.type = Parameter::Type::text;
  } else if (type == "number") {
    made_.type = Parameter::Type::number;
  } else if (type == "boolean" || type == "bool") {
    made_.type = Parameter::Type::boolean;
  } else if (type == "multi_choice" || type == "list") {
    made_.type = Parameter::Type::list;
  } else {
    yaml_.fail(node, "unknown type '" + name + "'" +
                         known_names(type, "types", {"string", "number", "boolean", "choice", "multi_choice", "list"}));
  }
}

void ParameterReader::condition(const YAML::Node& node) {
  std::string text;
  if (!yaml_.text(node, "condition", text) || text.empty()) return;
  auto parsed = expressions::parse_expression(text);
  if (const auto* error = std::get_if<expressions::ExpressionError>(&parsed)) {
    return yaml_.fail(node, "the condition is not understood: " + error->message);
  }
  made_.condition = std::get<expressions::Expression>(std::move(parsed));
}

void ParameterReader::pattern(const YAML::Node& node) {
  if (!yaml_.text(node, "pattern", made_.pattern)) return;
  const std::string problem = pattern_problem(made_.pattern);
  if (problem.empty()) return;
  yaml_.fail(node, "the pattern is not a regular expression in RE2 syntax: " + problem);
  made_.pattern.clear();
}

void ParameterReader::bound(const YAML::Node& node, const std::string& key, std::optional<double>& out) {
  std::string why;
  const auto value = parameter_value(Parameter::Type::number, node.IsScalar() ? node.Scalar() : "", why);
  if (!value) return yaml_.fail(node, "'" + key + "' must be a number");
  out = value->as_int() != nullptr ? static_cast<double>(*value->as_int()) : *value->as_double();
}

void ParameterReader::length(const YAML::Node& node, const std::string& key, std::optional<std::int64_t>& out) {
  const std::string text = node.IsScalar() ? node.Scalar() : "";
  std::int64_t value = 0;
  if (!read_number(text, value) || value < 0) {
    return yaml_.fail(node, "'" + key + "' must be a whole number of characters");
  }
  out = value;
}

void ParameterReader::choices() {
  if (!choices_.IsDefined() || choices_.IsNull()) return;
  if (!choices_.IsSequence()) return yaml_.fail(choices_, "'choices' must be a list");
  if (choices_.size() == 0) {
    return yaml_.fail(choices_,
                      "this list of choices is empty, so no value is allowed; name the values, or leave out 'choices'");
  }
  for (const YAML::Node& choice : choices_) {
    if (made_.type == Parameter::Type::list && choice.IsScalar()) {
      made_.choices.emplace_back(choice.Scalar());
    } else if (auto value = typed(choice)) {
      made_.choices.push_back(std::move(*value));
    }
  }
}

void ParameterReader::fallback() {
  if (!fallback_.IsDefined() || fallback_.IsNull()) return;
  // If the default is wrong, no check may also report that the parameter has none.
  made_.fallback = Value();
  if (made_.type == Parameter::Type::list && fallback_.IsSequence()) {
    expressions::List list;
    for (const YAML::Node& element : fallback_) {
      if (!element.IsScalar()) return yaml_.fail(element, "an element of a default must be a plain text");
      list.emplace_back(element.Scalar());
    }
    made_.fallback = Value(std::move(list));
  } else {
    auto value = typed(fallback_);
    if (!value) return;
    made_.fallback = std::move(value);
  }
  const std::string problem = limit_problem(made_, *made_.fallback);
  if (!problem.empty()) yaml_.fail(fallback_, "the default " + problem);
  if (fallback_.IsScalar() && is_shell_variable(fallback_.Scalar())) {
    yaml_.warn(fallback_,
               "the default is this literal text, because variables of the environment are not read. Give a value "
               "with --var " +
                   made_.name + "=VALUE");
  }
}

void ParameterReader::check_limits(const YAML::Node& entry) {
  if ((made_.minimum || made_.maximum) && made_.type != Parameter::Type::number) {
    yaml_.fail(entry,
               "'min' and 'max' are only for a parameter of type number; for a text, use min_length and max_length");
  }
  if ((made_.shortest || made_.longest || !made_.pattern.empty()) && made_.type != Parameter::Type::text) {
    yaml_.fail(entry, "'pattern', 'min_length' and 'max_length' are only for a parameter of type string");
  }
  if (made_.minimum && made_.maximum && *made_.minimum > *made_.maximum) {
    yaml_.fail(entry, "the minimum of this parameter is greater than its maximum");
  }
  if (made_.shortest && made_.longest && *made_.shortest > *made_.longest) {
    yaml_.fail(entry, "the min_length of this parameter is greater than its max_length");
  }
}

std::optional<Value> ParameterReader::typed(const YAML::Node& node) {
  if (!node.IsScalar()) {
    yaml_.fail(node, "a value of parameter '" + made_.name + "' must be a plain text, number or true/false");
    return std::nullopt;
  }
  std::string why;
  auto value = parameter_value(made_.type, node.Scalar(), why);
  if (!value) yaml_.fail(node, "parameter '" + made_.name + "': " + why);
  return value;
}

}  // namespace wtool::host::workflow
