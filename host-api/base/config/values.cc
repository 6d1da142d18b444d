#include "base/config/keys.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/escape.h"
#include "base/json.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool {

namespace {

using nlohmann::json;

std::string range(const ConfigKey& key) {
  const auto whole = [](double number) { return std::to_string(static_cast<std::int64_t>(number)); };
  return whole(key.least) + " to " + whole(key.most) + ' ' + std::string(key.unit) +
         (key.or_none ? ", or 0 for no limit" : "");
}

// Makes `value` an absolute path; a relative path is resolved from `folder`. Returns what is wrong; empty: nothing.
std::string check_location(const std::string& wanted, const std::string& folder, json& value) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) return wanted + ", but is " + shown(value);
  const auto& text = value.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos) return wanted + ", but has a NUL in it";
  if (text == "~" || text.starts_with("~/")) {
    return wanted + ", but is " + shown(value) +
           ". ~ does not mean the home folder here: write the path in full (or ./~ for a file of that name)";
  }
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(std::filesystem::path(folder) / text, failed);
  if (failed) return "is a relative path, and the current directory cannot be determined: " + failed.message();
  std::string path = absolute.lexically_normal().string();
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  value = std::move(path);
  return {};
}

std::string check_program(const ConfigKey& key, const std::string& folder, json& value) {
  const std::string wanted = "must be " + wanted_value(key);
  // A bare name is refused, because its author may expect that it is looked up in PATH.
  if (value.is_string() && value.get_ref<const std::string&>().find('/') == std::string::npos) {
    return wanted + " (or ./NAME for a program beside this file), but is " + shown(value);
  }
  return check_location(wanted, folder, value);
}

bool is_choice(const ConfigKey& key, const json& value) {
  const std::vector<std::string> choices = choices_of(key);
  return value.is_string() && std::find(choices.begin(), choices.end(), value.get<std::string>()) != choices.end();
}

bool is_line(const std::string& text) {
  return text.find_first_not_of(" \t") != std::string::npos && std::none_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < 0x20 && c != '\t';
         });
}

// The first character in the word that has a special meaning for a shell; empty: the word is literal.
std::string odd_part(std::string_view word) {
  if (word == "[") return {};
  if (word.front() == '~' || word.front() == '#') return std::string(1, word.front());
  const auto odd = std::find_if(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
           std::string_view("|&;<>()$`\\\"'*?[").find(c) != std::string_view::npos;
  });
  return odd == word.end() ? std::string{} : std::string(1, *odd);
}

std::string check_number(const ConfigKey& key, const json& value) {
  if (is_choice(key, value)) return {};
  const bool is_wanted_type = key.type == KeyType::integer ? value.is_number_integer() : value.is_number();
  if (is_wanted_type && is_in_range(key, key.most, value.get<double>())) return {};
  return "must be " + wanted_value(key) + ", but is " + shown(value);
}

}  // namespace

std::string wanted_value(const ConfigKey& key) {
  switch (key.type) {
    case KeyType::program:
      return "the path of a program, such as /bin/sh";
    case KeyType::boolean:
      return "true or false";
    case KeyType::integer:
    case KeyType::number:
      return (key.type == KeyType::integer ? "a whole number, " : "a number, ") + range(key) +
             (key.choices.empty() ? "" : ", or " + alternatives(choices_of(key)));
    case KeyType::choice:
      return alternatives(choices_of(key));
    case KeyType::path:
      return "a path";
    case KeyType::text:
      return "a text on one line";
    case KeyType::paths:
      return "a list of paths, such as [., /tmp]";
    case KeyType::paths_or_default:
      return "default, or a list of paths, such as [/usr/bin, /bin]";
    case KeyType::names:
      return alternatives(choices_of(key)) +
             ", or a list of names below the writable folders, such as [default, .git/hooks]";
    case KeyType::entries:
      return "a list of commands, such as [ls, \"git log *\"]";
    case KeyType::programs:
      return "a list of names of programs, such as [python3, less]";
    case KeyType::patterns:
      return "a list of names of variables, such as [\"*_TOKEN\"]";
    case KeyType::variables:
      return "a mapping of names to texts, such as {CI: \"1\"}";
    case KeyType::classes:
      return "a mapping of names to keys, such as {big: {cpus: 8}}";
    case KeyType::servers:
      break;
  }
  return "a mapping of names to servers, such as {files: {command: my-server}}";
}

std::string range_of(const ConfigKey& key, double most) {
  const auto whole = [](double number) { return std::to_string(static_cast<std::int64_t>(number)); };
  return (key.type == KeyType::integer ? "a whole number from " : "a number from ") + whole(key.least) + " to " +
         whole(most) + (key.or_none ? ", or 0 for no limit" : "");
}

bool is_in_range(const ConfigKey& key, double most, double number) {
  if (key.type == KeyType::integer && number != std::floor(number)) return false;
  return (number >= key.least && number <= most) || (key.or_none && number == 0);
}

bool is_path_below(std::string_view text) {
  // With a slash at both ends of the path, each part is between two slashes.
  const std::string path = '/' + std::string(text) + '/';
  return path.find("//") == std::string::npos && path.find("/./") == std::string::npos &&
         path.find("/../") == std::string::npos && path.find('\0') == std::string::npos;
}

bool is_name_pattern(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || std::string_view("_.-*?").find(c) != std::string_view::npos;
  });
}

std::string entry_problem(std::string_view rest) {
  if (rest.empty()) return "is empty";
  if (rest == "*") return {};
  if (rest.ends_with(" *")) rest.remove_suffix(2);
  while (true) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end == 0) return "has an extra space: write one space between two words, and no space at either end";
    if (const std::string odd = odd_part(rest.substr(0, end)); !odd.empty()) {
      return "has a " + escaped(odd) +
             ", which means something to a shell. Entries are literal words; a wildcard is allowed only as a final "
             "\" *\" (any further arguments)";
    }
    if (end == rest.size()) return {};
    rest.remove_prefix(end + 1);
  }
}

bool is_list(KeyType type) {
  return type == KeyType::paths || type == KeyType::paths_or_default || type == KeyType::names ||
         type == KeyType::entries || type == KeyType::programs || type == KeyType::patterns;
}

std::string check_element(const ConfigKey& key, const std::string& folder, json& value) {
  std::string wrong = "must be " + wanted_value(key) + ", but has " + shown(value);
  switch (key.type) {
    case KeyType::names:
      return value.is_string() && is_path_below(value.get_ref<const std::string&>()) ? "" : wrong;
    case KeyType::entries: {
      if (!value.is_string()) return wrong;
      const std::string given = shown(value);
      auto& entry = value.get_ref<std::string&>();
      std::string problem = entry_problem(entry);
      // A program's relative path is resolved from the folder of the file, wherever the command runs.
      if (problem.empty() && entry.front() != '/' && entry.substr(0, entry.find(' ')).find('/') != std::string::npos) {
        const std::size_t end = std::min(entry.find(' '), entry.size());
        json program = entry.substr(0, end);
        check_location("", folder, program);
        const auto& path = program.get_ref<const std::string&>();
        entry.replace(0, end, path);
        if (path.find(' ') != std::string::npos || !entry_problem(entry).empty())
          problem = "has a relative path, and the full path contains a character that no entry may contain";
      }
      return problem.empty() ? "" : "has the entry " + given + ", which " + problem;
    }
    case KeyType::programs:
      return value.is_string() && entry_problem(value.get_ref<const std::string&>()).empty() &&
                     value.get_ref<const std::string&>().find_first_of(" /") == std::string::npos
                 ? ""
                 : wrong + "; a name has no path and no arguments, and \"*\" means any program";
    case KeyType::patterns:
      return value.is_string() && is_name_pattern(value.get_ref<const std::string&>())
                 ? ""
                 : wrong + "; a name has letters, digits, _ . and -, and the wildcards * and ?";
    default:
      return check_location("must be " + wanted_value(key), folder, value);
  }
}

std::string check_value(const ConfigKey& key, const std::string& folder, json& value) {
  const auto wrong = [&] { return "must be " + wanted_value(key) + ", but is " + shown(value); };
  switch (key.type) {
    case KeyType::program:
      return check_program(key, folder, value);
    case KeyType::boolean:
      return value.is_boolean() ? std::string() : wrong();
    case KeyType::integer:
    case KeyType::number:
      return check_number(key, value);
    case KeyType::choice:
      return is_choice(key, value) ? std::string() : wrong();
    case KeyType::path:
      return check_location("must be " + wanted_value(key), folder, value);
    case KeyType::text:
      if (const std::string wanted = key.section == "cluster" ? cluster_text_wanted(key.name, value) : "";
          !wanted.empty()) {
        return "must be " + wanted + ", but is " + shown(value);
      }
      return value.is_string() && is_line(value.get_ref<const std::string&>()) ? std::string() : wrong();
    case KeyType::variables:
    case KeyType::classes:
    case KeyType::servers:
      return value.is_object() ? std::string() : wrong();
    default:
      break;
  }
  if (key.type == KeyType::paths_or_default && value == "default") return {};
  if (key.type == KeyType::names && is_choice(key, value)) return {};
  if (!value.is_array()) return wrong();
  for (json& element : value) {
    if (std::string problem = check_element(key, folder, element); !problem.empty()) return problem;
  }
  return {};
}

bool is_class_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && name.front() != '-' && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_word_character(c) || c == '-' || c == '.'; });
}

std::string shown_text(std::string_view text) { return escaped(clipped(text, 100)); }

std::string shown(const json& value) { return shown_text(dumped(value)); }

// ---- The type of a YAML scalar.

namespace {

// Parses decimal digits, perhaps with a sign, or a number such as 0o17 or 0x1F without a sign. False: the text is
// something else, or the number does not fit into 64 bits.
bool parse_integer(std::string_view text, json& value) {
  std::uint64_t positive = 0;
  std::int64_t negative = 0;
  if (text.starts_with("0x") || text.starts_with("0o")) {
    if (!read_number(text.substr(2), positive, text[1] == 'x' ? 16 : 8)) return false;
    value = positive;
  } else if (text.starts_with('-')) {
    if (!read_number(text, negative)) return false;
    value = negative;
  } else {
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text.front() < '0' || text.front() > '9' || !read_number(text, positive)) return false;
    value = positive;
  }
  return true;
}

// [-+]? ( \. [0-9]+ | [0-9]+ (\. [0-9]*)? ) ([eE] [-+]? [0-9]+)?
bool parse_float(std::string_view text, json& value) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t mantissa = std::min(text.find_first_not_of("0123456789."), text.size());
  if (text.substr(0, mantissa).find_first_of("0123456789") == std::string_view::npos) return false;
  std::string digits(text);
  if (const auto plus = digits.find('+'); plus != std::string::npos) {
    // After the sign of the number, a plus can only be in the exponent, where from_chars accepts it, too.
    if (plus == 0) return false;
  }
  double number = 0;
  // A number beyond the range of doubles stays a text: a value such as 12e4567 may be a part of a hash.
  if (!read_number(digits, number)) return false;
  value = minus ? -number : number;
  return true;
}

}  // namespace

bool parse_scalar(const std::string& text, const std::string& tag, json& value, std::string& error) {
  const std::string shown = '"' + escaped(text) + '"';
  if (tag == "!" || tag == "tag:yaml.org,2002:str") {
    value = text;
    return true;
  }
  if (!tag.empty() && tag != "?") {
    error = "the tag " + escaped(tag) + " is not supported here";
    return false;
  }
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) {
    value = nullptr;
  } else if (is_one_of(text, {"true", "True", "TRUE"})) {
    value = true;
  } else if (is_one_of(text, {"false", "False", "FALSE"})) {
    value = false;
  } else if (parse_integer(text, value) || parse_float(text, value)) {
    // One of these two functions has set the value.
  } else if (is_one_of(text, {".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan",
                              ".NaN", ".NAN"})) {
    error = shown + " is not a number that can be used here";
    return false;
  } else {
    value = text;
  }
  return true;
}

}  // namespace wtool
