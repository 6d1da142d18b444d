#include "config/keys.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tracing/escape.h"

namespace wtool::host {

namespace {

// 2^53: any whole number up to it is exact in JSON.
constexpr double largest_size = 9007199254740992.0;

// A section of the table below with an empty name is a key of its own at the top.
constexpr auto keys = std::to_array<ConfigKey>({
    {"shell", "program", true, KeyType::program},
    {"shell", "direct_exec", true, KeyType::boolean},
    {"limits", "timeout_default", true, KeyType::integer, 1, 1800, "seconds"},
    {"limits", "timeout_max", true, KeyType::integer, 1, 1800, "seconds"},
    {"limits", "grace_seconds", true, KeyType::number, 0, 60, "seconds"},
    {"limits", "cpu_seconds", true, KeyType::integer, 1, 1e6, "seconds", true},
    {"limits", "memory_bytes", true, KeyType::integer, 1 << 20, largest_size, "bytes", true},
    {"limits", "processes", true, KeyType::integer, 1, 1e6, "processes", true},
    {"limits", "open_files", true, KeyType::integer, 16, 1e6, "descriptors", true},
    {"limits", "file_bytes", true, KeyType::integer, 1, largest_size, "bytes", true},
    {"output", "bytes", true, KeyType::integer, 4096, 67108864, "bytes"},
    {"output", "spill", true, KeyType::choice, 0, 0, "", false, "never when_cut always"},
    {"output", "directory", true, KeyType::folder},
    {"output", "max_bytes", true, KeyType::integer, 1 << 20, largest_size, "bytes"},
    {"commands", ""},
    {"directories", ""},
    {"environment", ""},
    {"background", ""},
    {"sandbox", "read", true, KeyType::paths},
    {"sandbox", "write", true, KeyType::paths},
    {"sandbox", "protect", true, KeyType::names, 0, 0, "", false, "default none"},
    {"sandbox", "network", true, KeyType::choice, 0, 0, "", false, "allow deny"},
    {"sandbox", "required", true, KeyType::boolean},
    {"audit", ""},
    {"sessions", ""},
});

std::string shown(const nlohmann::json& value) {
  return shown_text(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string range(const ConfigKey& key) {
  const auto whole = [](double number) { return std::to_string(static_cast<std::int64_t>(number)); };
  return whole(key.least) + " to " + whole(key.most) + ' ' + std::string(key.unit) +
         (key.or_none ? ", or 0 for no limit" : "");
}

std::vector<std::string> choices_of(const ConfigKey& key) {
  std::istringstream words{std::string(key.choices)};
  return {std::istream_iterator<std::string>(words), {}};
}

// "a, b or c"
std::string alternatives(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
  return text;
}

// Makes `value` an absolute path below `folder`. Empty when it is one, else what is wrong with it.
std::string check_location(const std::string& wanted, const std::string& folder, nlohmann::json& value) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty()) return wanted + ", and is " + shown(value);
  const auto& text = value.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos) return wanted + ", and has a NUL in it";
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(std::filesystem::path(folder) / text, failed);
  if (failed) return "is a relative path, and the current directory cannot be found out: " + failed.message();
  std::string path = absolute.lexically_normal().string();
  if (path.size() > 1 && path.back() == '/') path.pop_back();
  value = std::move(path);
  return {};
}

std::string check_program(const std::string& folder, nlohmann::json& value) {
  const std::string wanted = "must be the path of a program, such as /bin/sh";
  // A bare name is refused, because it could as well be meant for PATH.
  if (value.is_string() && value.get_ref<const std::string&>().find('/') == std::string::npos) {
    return wanted + " (or ./NAME beside this file), and is " + shown(value);
  }
  return check_location(wanted, folder, value);
}

std::string check_paths(const std::string& folder, nlohmann::json& value) {
  if (!value.is_array()) return "must be a list of paths, such as [., /tmp], and is " + shown(value);
  for (nlohmann::json& path : value) {
    std::string error = check_location("must be a list of paths", folder, path);
    if (!error.empty()) return error;
  }
  return {};
}

bool is_choice(const ConfigKey& key, const nlohmann::json& value) {
  const std::vector<std::string> choices = choices_of(key);
  return value.is_string() && std::find(choices.begin(), choices.end(), value.get<std::string>()) != choices.end();
}

std::string check_names(const ConfigKey& key, const nlohmann::json& value) {
  const auto is_name = [](const nlohmann::json& name) {
    if (!name.is_string()) return false;
    // With a slash on both sides, every part has one.
    const std::string path = '/' + name.get<std::string>() + '/';
    return path.find("//") == std::string::npos && path.find("/./") == std::string::npos &&
           path.find("/../") == std::string::npos && path.find('\0') == std::string::npos;
  };
  if (is_choice(key, value)) return {};
  if (value.is_array() && std::all_of(value.begin(), value.end(), is_name)) return {};
  return "must be " + alternatives(choices_of(key)) +
         ", or a list of names below the writable folders, such as [.git/hooks], and is " + shown(value);
}

std::string check_number(const ConfigKey& key, const nlohmann::json& value) {
  const bool whole = key.type == KeyType::integer;
  if (whole ? value.is_number_integer() : value.is_number()) {
    const auto number = value.get<double>();
    if ((number >= key.least && number <= key.most) || (key.or_none && number == 0)) return {};
  }
  return (whole ? "must be a whole number, " : "must be a number, ") + range(key) + ", and is " + shown(value);
}

}  // namespace

std::string shown_text(std::string_view text) {
  constexpr std::size_t longest = 100;
  return text.size() <= longest ? escaped(text) : escaped(text.substr(0, longest)) + "...";
}

const ConfigKey* find_key(std::string_view section, std::string_view name) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const ConfigKey& key) { return key.section == section && key.name == name; });
  return found == keys.end() ? nullptr : &*found;
}

bool is_known_section(std::string_view section) {
  return std::any_of(keys.begin(), keys.end(), [&](const ConfigKey& key) { return key.section == section; });
}

bool is_supported_section(std::string_view section) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const ConfigKey& key) { return key.section == section && key.supported; });
}

std::vector<std::string> supported_sections() {
  std::vector<std::string> names;
  for (const ConfigKey& key : keys) {
    if (key.supported && (names.empty() || names.back() != key.section)) names.emplace_back(key.section);
  }
  return names;
}

std::vector<std::string> supported_names(std::string_view section) {
  std::vector<std::string> names;
  for (const ConfigKey& key : keys) {
    if (key.supported && key.section == section) names.emplace_back(key.name);
  }
  return names;
}

std::string check_value(const ConfigKey& key, const std::string& folder, nlohmann::json& value) {
  switch (key.type) {
    case KeyType::program:
      return check_program(folder, value);
    case KeyType::boolean:
      return value.is_boolean() ? std::string{} : "must be true or false, and is " + shown(value);
    case KeyType::integer:
    case KeyType::number:
      return check_number(key, value);
    case KeyType::choice:
      if (is_choice(key, value)) return {};
      return "must be " + alternatives(choices_of(key)) + ", and is " + shown(value);
    case KeyType::folder:
      return check_location("must be a path", folder, value);
    case KeyType::paths:
      return check_paths(folder, value);
    case KeyType::names:
      return check_names(key, value);
  }
  return {};
}

}  // namespace wtool::host
