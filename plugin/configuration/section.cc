#include "configuration/section.h"

#include <algorithm>

#include "base/config/keys.h"
#include "base/json_reader.h"
#include "base/text.h"

namespace wtool {

namespace {

using Json = nlohmann::json;

bool is_text(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().find('\0') == std::string::npos;
}

bool is_path(const Json& value) { return is_text(value) && !value.get_ref<const std::string&>().empty(); }

bool is_absolute(const Json& value) { return is_path(value) && value.get_ref<const std::string&>().front() == '/'; }

bool is_name(const Json& value) { return is_path(value) && is_path_below(value.get_ref<const std::string&>()); }

bool is_pattern(const Json& value) { return value.is_string() && is_name_pattern(value.get_ref<const std::string&>()); }

bool is_entry(const Json& value) {
  return is_path(value) && entry_problem(value.get_ref<const std::string&>()).empty();
}

// The first element that is not right, or `list` itself if it is not a list; nullptr if all elements are right.
const Json* odd_one(const Json& list, bool (*is_right)(const Json&)) {
  if (!list.is_array()) return &list;
  const auto found = std::find_if_not(list.begin(), list.end(), is_right);
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

Section::Section(const Json& all, std::string name, std::string& error) : name_(std::move(name)), error_(error) {
  const auto found = all.find(name_);
  if (found == all.end()) return;
  present_ = true;
  if (found->is_object()) {
    rest_ = *found;
  } else {
    complain("", *found, "an object");
  }
}

std::optional<double> Section::take_number(const char* key, std::optional<double> given_most) {
  if (!take(key)) return std::nullopt;
  const ConfigKey& known = key_named(name_, key);
  const double most = given_most.value_or(known.most);
  if (taken_.is_number() && is_in_range(known, most, taken_.get<double>())) return taken_.get<double>();
  complain(key, taken_, range_of(known, most));
  return std::nullopt;
}

bool Section::takes_word(const char* key, const char* word) {
  const auto found = rest_.find(key);
  if (found == rest_.end() || *found != word) return false;
  rest_.erase(found);
  return true;
}

void Section::processors(const char* key, std::array<std::uint64_t, 16>& value) {
  if (!take(key)) return;
  const auto is_processor = [](const Json& one) { return one.is_number_integer() && one >= 0 && one < 1024; };
  if (!taken_.is_array() || !std::all_of(taken_.begin(), taken_.end(), is_processor)) {
    return complain(key, taken_, "a list of whole numbers from 0 to 1023");
  }
  for (const Json& one : taken_) {
    const auto number = one.get<std::size_t>();
    value[number / 64] |= std::uint64_t{1} << (number % 64);
  }
}

void Section::flag(const char* key, bool& value) {
  if (!take(key)) return;
  if (!taken_.is_boolean()) return complain(key, taken_, "true or false");
  value = taken_.get<bool>();
}

void Section::choice(const char* key, const std::vector<std::string>& choices, std::size_t& value) {
  if (!take(key)) return;
  const auto found = std::find(choices.begin(), choices.end(), taken_.is_string() ? taken_.get<std::string>() : "");
  if (found == choices.end()) return complain(key, taken_, alternatives(choices));
  value = static_cast<std::size_t>(found - choices.begin());
}

void Section::choice(const char* key, const char* no, const char* yes, bool& value) {
  std::size_t which = value ? 1 : 0;
  choice(key, {no, yes}, which);
  value = which == 1;
}

void Section::absolute_path(const char* key, std::string& value) {
  if (!take(key)) return;
  if (!is_absolute(taken_)) return complain(key, taken_, "an absolute path");
  value = taken_.get<std::string>();
}

void Section::absolute_paths(const char* key, std::vector<std::string>& value) {
  if (!take(key)) return;
  if (odd_one(taken_, is_absolute) != nullptr) return complain(key, taken_, "a list of absolute paths");
  value = taken_.get<std::vector<std::string>>();
}

void Section::absolute_paths_or_default(const char* key, std::optional<std::vector<std::string>>& value) {
  if (!take(key) || taken_ == "default") return;
  if (odd_one(taken_, is_absolute) != nullptr) return complain(key, taken_, "default, or a list of absolute paths");
  value = taken_.get<std::vector<std::string>>();
}

void Section::names(const char* key, std::vector<std::string>& value) {
  if (!take(key) || taken_ == "default") return;
  const std::vector<std::string> defaults = std::move(value);
  value.clear();
  if (taken_ == "none") return;
  if (odd_one(taken_, is_name) != nullptr) {
    return complain(key, taken_, "default, none or a list of relative paths without . and ..");
  }
  for (const Json& name : taken_) {
    if (name == "default") {
      value.insert(value.end(), defaults.begin(), defaults.end());
    } else {
      value.push_back(name);
    }
  }
}

bool Section::entries(const char* key, bool prefixes, std::vector<std::string>& value) {
  if (!take(key)) return false;
  if (const Json* odd = odd_one(taken_, is_entry); odd != nullptr) {
    complain(key, *odd,
             "a list of commands; each is literal words with one space between them, without shell syntax, and \" *\" "
             "at its end means any further words");
    return true;
  }
  value = taken_.get<std::vector<std::string>>();
  for (std::string& entry : value) {
    if (prefixes && entry.ends_with(" *")) entry.resize(entry.size() - 2);
  }
  return true;
}

void Section::program_names(const char* key, std::vector<std::string>& value) {
  if (!take(key)) return;
  const auto is_program = [](const Json& given) {
    return is_entry(given) && given.get_ref<const std::string&>().find_first_of(" /") == std::string::npos;
  };
  if (const Json* odd = odd_one(taken_, is_program); odd != nullptr) {
    return complain(key, *odd, "a list of names of programs, without paths and arguments; \"*\" means any program");
  }
  value = taken_.get<std::vector<std::string>>();
}

void Section::patterns(const char* key, std::vector<std::string>& value) {
  if (!take(key)) return;
  if (const Json* odd = odd_one(taken_, is_pattern); odd != nullptr) {
    return complain(key, *odd, "a list of names of variables, in which * and ? match as in file names");
  }
  value = taken_.get<std::vector<std::string>>();
}

void Section::variables(const char* key, policy::Variables& value) {
  if (!take(key)) return;
  if (!taken_.is_object()) return complain(key, taken_, "an object of texts");
  for (const auto& [name, text] : taken_.items()) {
    if (!is_variable_name(name)) {
      return complain(key, Json(name), "names of letters, digits and _ that do not begin with a digit");
    }
    // The text is not shown, because it may be secret.
    if (!is_text(text)) {
      return complain(key + ("." + name), text.is_string() ? Json("a text with NUL") : text, "a text without NUL");
    }
    value.emplace_back(name, text.get<std::string>());
  }
}

void Section::end() {
  if (error_.empty() && !rest_.empty()) {
    error_ = "configuration: there is no key " + name_ + "." + rest_.begin().key();
  }
}

bool Section::take(const char* key) {
  const auto found = rest_.find(key);
  if (found == rest_.end()) return false;
  taken_ = std::move(*found);
  rest_.erase(found);
  return true;
}

void Section::complain(const std::string& key, const Json& given, const std::string& allowed) {
  if (!error_.empty()) return;
  error_ = "configuration: " + name_ + (key.empty() ? "" : "." + key) + " is " + show_json(given) + "; allowed is " +
           allowed;
}

}  // namespace wtool
