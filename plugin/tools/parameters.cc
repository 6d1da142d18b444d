#include "tools/parameters.h"

#include <algorithm>
#include <cmath>

#include "base/edit_distance.h"
#include "base/json_reader.h"
#include "base/text.h"

namespace wtool::tools {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_arguments = 16UL * 1024 * 1024;

// A whole number, which may be written as 60 or as 60.0.
std::optional<std::int64_t> as_whole_number(const Json& given) {
  if (given.is_number_unsigned() && given.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  if (given.is_number_integer()) return given.get<std::int64_t>();
  if (given.is_number_float()) {
    const double number = given.get<double>();
    if (std::abs(number) < 9e15 && number == std::floor(number)) return static_cast<std::int64_t>(number);
  }
  return std::nullopt;
}

}  // namespace

Parameters::Parameters(std::string_view arguments) {
  if (arguments.size() > max_arguments) {
    problem_ = "the arguments have " + std::to_string(arguments.size()) + " bytes; at most " +
               std::to_string(max_arguments) + " are allowed";
    unreadable_ = true;
    return;
  }
  Json parsed = parse_json_object(arguments, problem_);
  unreadable_ = !problem_.empty();
  if (!unreadable_) given_ = std::move(parsed);
}

const Json* Parameters::find(const char* name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? nullptr : &*found;
}

void Parameters::complain(const std::string& name, const std::string& came, const std::string& allowed) {
  add(name + ": got " + came + "; allowed is " + allowed);
}

void Parameters::add(const std::string& problem) {
  if (unreadable_) return;
  constexpr std::size_t most = 10;  // how many mistakes are listed
  if (++problems_ > most) {
    if (problems_ == most + 1) problem_ += "; and there are more mistakes";
    return;
  }
  problem_ += (problem_.empty() ? "" : "; and ") + problem;
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
             "a string without NUL, which no command line can contain");
  }
  return value;
}

std::string Parameters::required_text(const char* name, std::size_t longest) {
  const Json* given = find(name);
  if (given == nullptr) {
    add("missing required parameter '" + std::string(name) + "'");
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

std::optional<std::string> Parameters::optional_line(const char* name) {
  std::optional<std::string> line = optional_text(name);
  if (line && line->find_first_of("\r\n") != std::string::npos) complain(name, show_json(*find(name)), "one line");
  return line;
}

bool Parameters::flag(const char* name) {
  const Json* given = find(name);
  if (given == nullptr) return false;
  if (given->is_boolean()) return given->get<bool>();
  complain(name, show_json(*given), "true or false");
  return false;
}

std::optional<std::string> Parameters::content(const char* name, std::size_t longest, const std::string& advice) {
  const Json* given = find(name);
  if (given == nullptr) return std::nullopt;
  if (!given->is_string()) {
    // The text may be a secret, so messages never show it.
    complain(name, describe_json(*given), "a string");
    return std::nullopt;
  }
  const auto& value = given->get_ref<const std::string&>();
  if (value.size() <= longest) return value;
  complain(name, "a text of " + std::to_string(value.size()) + " bytes",
           "a text of at most " + std::to_string(longest) + " (" + advice + ')');
  return std::nullopt;
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

std::optional<std::chrono::milliseconds> Parameters::seconds(const char* name, std::chrono::seconds longest,
                                                             bool fractions) {
  const Json* given = find(name);
  if (!fractions || given == nullptr || !given->is_number_float()) {
    const auto whole = whole_number(name, 1, longest.count(), "seconds");
    return whole ? std::optional(std::chrono::seconds(*whole)) : std::nullopt;
  }
  const double milliseconds = std::round(given->get<double>() * 1000);
  if (milliseconds >= 1 && milliseconds <= static_cast<double>(longest.count()) * 1000) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
  }
  complain(name, show_json(*given), "a number of seconds from 0.001 to " + std::to_string(longest.count()));
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
    // The value may be a secret, so messages never show it.
    const std::string where = std::string(name) + "." + (key.size() <= 60 ? key : key.substr(0, 60) + "...");
    if (!is_variable_name(key)) {
      complain(name, "the variable name " + show_json(key),
               "a name of letters, digits and underscores that does not start with a digit");
    } else if (!value.is_string()) {
      complain(where, std::string("a value of type ") + value.type_name(), "a string");
    } else if (value.get_ref<const std::string&>().find('\0') != std::string::npos) {
      complain(where, "a value with a NUL character",
               "a string without NUL, which no environment variable can contain");
    } else {
      result.emplace_back(key, value.get<std::string>());
    }
  }
  return result;
}

void Parameters::end(std::initializer_list<const char*> known) {
  for (const auto& [key, value] : given_.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    add("there is no parameter " + show_json(key) + known_names(key, "parameters", {known.begin(), known.end()}));
  }
}

}  // namespace wtool::tools
