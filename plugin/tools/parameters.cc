#include "tools/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "json_text.h"

namespace wtool::tools {

namespace {

using Json = nlohmann::json;

constexpr std::size_t largest_arguments = 16UL * 1024 * 1024;

// A whole number as JSON number (60, 60.0) or as text ("60").
std::optional<std::int64_t> as_whole_number(const Json& given) {
  if (given.is_number_unsigned() && given.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  if (given.is_number_integer()) return given.get<std::int64_t>();
  if (given.is_number_float()) {
    const double number = given.get<double>();
    if (std::abs(number) < 9e15 && number == std::floor(number)) return static_cast<std::int64_t>(number);
  }
  if (given.is_string()) {
    const auto& text = given.get_ref<const std::string&>();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty()) return number;
  }
  return std::nullopt;
}

}  // namespace

Parameters::Parameters(std::string_view arguments) {
  if (arguments.size() > largest_arguments) {
    problem_ = "the arguments have " + std::to_string(arguments.size()) + " bytes; at most " +
               std::to_string(largest_arguments) + " are allowed";
    return;
  }
  Json parsed = parse_json_object(arguments, problem_);
  if (problem_.empty()) given_ = std::move(parsed);
}

const Json* Parameters::find(const char* name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &*found;
}

void Parameters::complain(const std::string& name, const std::string& came, const std::string& allowed) {
  if (problem_.empty()) problem_ = name + ": got " + came + "; allowed is " + allowed;
}

std::string Parameters::text(const std::string& name, const Json& given, bool may_be_empty) {
  if (!given.is_string()) {
    complain(name, show_json(given), "a string");
    return {};
  }
  std::string value = given.get<std::string>();
  if (value.empty() && !may_be_empty) complain(name, "an empty string", "a string of at least 1 character");
  if (const auto nul = value.find('\0'); nul != std::string::npos) {
    complain(name, show_json(given) + ", with a NUL character at byte " + std::to_string(nul),
             "a string without NUL, which no command line can hold");
  }
  return value;
}

std::string Parameters::required_text(const char* name, std::size_t longest) {
  const Json* given = find(name);
  if (given == nullptr) {
    complain(name, "nothing", "a string of at least 1 character; the parameter is required");
    return {};
  }
  std::string value = text(name, *given);
  if (value.size() > longest) {
    complain(name, "a string of " + std::to_string(value.size()) + " bytes", "at most " + std::to_string(longest));
  }
  return value;
}

std::vector<std::string> Parameters::texts(const char* name) {
  std::vector<std::string> result;
  const Json* given = find(name);
  if (given == nullptr) return result;
  if (!given->is_array()) {
    complain(name, show_json(*given), "a list of strings");
    return result;
  }
  for (const Json& one : *given) result.push_back(text(name + ('[' + std::to_string(result.size()) + ']'), one, true));
  return result;
}

std::optional<std::string> Parameters::optional_text(const char* name) {
  const Json* given = find(name);
  if (given == nullptr) return std::nullopt;
  return text(name, *given);
}

std::optional<std::int64_t> Parameters::whole_number(const char* name, std::int64_t lowest, std::int64_t highest,
                                                     std::string_view unit) {
  const Json* given = find(name);
  if (given == nullptr) return std::nullopt;
  const auto number = as_whole_number(*given);
  if (number && *number >= lowest && *number <= highest) return number;
  complain(
      name, show_json(*given),
      "a whole number of " + std::string(unit) + " from " + std::to_string(lowest) + " to " + std::to_string(highest));
  return std::nullopt;
}

policy::Variables Parameters::variables(const char* name) {
  policy::Variables result;
  const Json* given = find(name);
  if (given == nullptr) return result;
  if (!given->is_object()) {
    complain(name, show_json(*given), "an object of strings, such as {\"LANG\": \"C\"}");
    return result;
  }
  for (const auto& [key, value] : given->items()) {
    // The value may be a secret: messages never show it.
    const std::string where = std::string(name) + "." + (key.size() <= 60 ? key : key.substr(0, 60) + "...");
    if (!policy::is_variable_name(key)) {
      complain(name, "the variable name " + show_json(key),
               "a name of letters, digits and underscores that does not start with a digit");
    } else if (!value.is_string()) {
      complain(where, std::string("a value of type ") + value.type_name(), "a string");
    } else if (value.get_ref<const std::string&>().find('\0') != std::string::npos) {
      complain(where, "a value with a NUL character", "a string without NUL, which no environment can hold");
    } else {
      result.emplace_back(key, value.get<std::string>());
    }
  }
  return result;
}

void Parameters::end(std::initializer_list<const char*> known) {
  for (const auto& [key, value] : given_.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string list;
    for (const char* name : known) list.append(list.empty() ? "" : ", ").append(name);
    if (problem_.empty()) problem_ = "there is no parameter " + show_json(key) + "; allowed are " + list;
  }
}

}  // namespace wtool::tools
