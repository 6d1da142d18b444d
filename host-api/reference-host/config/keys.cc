#include "config/keys.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tracing/escape.h"

namespace wtool::host {

namespace {

// A section of the table below with an empty name is a key of its own at the top.
constexpr auto keys = std::to_array<ConfigKey>({
    {"shell", "program", true, KeyType::path},
    {"shell", "direct_exec", true, KeyType::boolean},
    {"limits", "timeout_default", true, KeyType::integer, 1, 1800, "seconds"},
    {"limits", "timeout_max", true, KeyType::integer, 1, 1800, "seconds"},
    {"limits", "grace_seconds", true, KeyType::number, 0, 60, "seconds"},
    {"limits", "memory_bytes"},
    {"limits", "cpu_seconds"},
    {"limits", "processes"},
    {"output", "bytes", true, KeyType::integer, 4096, 67108864, "bytes"},
    {"output", "spill"},
    {"output", "directory"},
    {"output", "max_bytes"},
    {"commands", ""},
    {"directories", ""},
    {"environment", ""},
    {"background", ""},
    {"sandbox", ""},
    {"audit", ""},
    {"sessions", ""},
});

std::string shown(const nlohmann::json& value) {
  return shown_text(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::string range(const ConfigKey& key) {
  const auto whole = [](double number) { return std::to_string(static_cast<std::int64_t>(number)); };
  return whole(key.least) + " to " + whole(key.most) + ' ' + std::string(key.unit);
}

std::string check_path(const std::string& folder, nlohmann::json& value) {
  constexpr const char* wanted = "must be the path of a program, such as /bin/sh";
  if (!value.is_string()) return std::string(wanted) + ", and is " + shown(value);
  const auto& text = value.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos) return std::string(wanted) + ", and has a NUL in it";
  // A bare name is refused, because it could as well be meant for PATH.
  if (text.find('/') == std::string::npos) {
    return std::string(wanted) + " (or ./NAME beside this file), and is " + shown(value);
  }
  std::error_code failed;
  const auto absolute = std::filesystem::absolute(std::filesystem::path(folder) / text, failed);
  if (failed) return "is a relative path, and the current directory cannot be found out: " + failed.message();
  value = absolute.lexically_normal().string();
  return {};
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
  if (key.type == KeyType::path) return check_path(folder, value);
  if (key.type == KeyType::boolean) {
    return value.is_boolean() ? std::string{} : "must be true or false, and is " + shown(value);
  }
  const bool right_type = key.type == KeyType::integer ? value.is_number_integer() : value.is_number();
  if (right_type && value.get<double>() >= key.least && value.get<double>() <= key.most) return {};
  return (key.type == KeyType::integer ? "must be a whole number, " : "must be a number, ") + range(key) + ", and is " +
         shown(value);
}

}  // namespace wtool::host
