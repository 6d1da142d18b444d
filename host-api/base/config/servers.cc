// The keys of a server in `mcp_servers`.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/keys.h"
#include "base/json.h"

namespace wtool {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 9> keys_of_servers{
    "command", "env", "tools", "timeout", "sandbox", "network", "memory_bytes", "cpu_seconds", "processes"};
constexpr std::int64_t longest_timeout = 86400;

bool is_line(const json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return !text.empty() && std::none_of(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\0'; });
}

std::string whole_number(const json& value, std::int64_t least, std::int64_t most) {
  if (value.is_number_integer() && value >= least && value <= most) return {};
  return "must be a whole number, " + std::to_string(least) + " to " + std::to_string(most) + ", but is " +
         shown(value);
}

// A limit of the server, in the range of the limit for commands.
std::string limit(std::string_view name, const json& value) {
  const ConfigKey& key = key_named("limits", name);
  return whole_number(value, static_cast<std::int64_t>(key.least), static_cast<std::int64_t>(key.most));
}

}  // namespace

std::string check_server_value(std::string_view name, const json& value, std::vector<std::string>& names) {
  if (name == "command") {
    return is_line(value) ? "" : "must be the command that starts the server, on one line, but is " + shown(value);
  }
  if (name == "env") {
    return value.is_object() ? "" : "must be a mapping of names to texts, such as {CI: \"1\"}, but is " + shown(value);
  }
  if (name == "tools") {
    const bool good = value.is_array() && std::all_of(value.begin(), value.end(), is_line);
    return good ? "" : "must be a list of names of tools, such as [search, \"get_*\"], but is " + shown(value);
  }
  if (name == "sandbox") return value == "read-only" ? "" : "must be read-only, but is " + shown(value);
  if (name == "network") return value == "deny" ? "" : "must be deny, but is " + shown(value);
  if (name == "timeout") return whole_number(value, 1, longest_timeout);
  if (name == "memory_bytes" || name == "cpu_seconds" || name == "processes") return limit(name, value);
  names.assign(keys_of_servers.begin(), keys_of_servers.end());
  return {};
}

std::span<const std::string_view> server_keys() { return keys_of_servers; }

nlohmann::ordered_json server_key_schema(std::string_view name) {
  using nlohmann::ordered_json;
  const ordered_json line{{"type", "string"}, {"minLength", 1}};
  if (name == "command") return line;
  if (name == "env") return {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
  if (name == "tools") return {{"type", "array"}, {"items", line}};
  if (name == "sandbox") return {{"const", "read-only"}};
  if (name == "network") return {{"const", "deny"}};
  if (name == "timeout") return {{"type", "integer"}, {"minimum", 1}, {"maximum", longest_timeout}};
  const ConfigKey& key = key_named("limits", name);
  return {{"type", "integer"},
          {"minimum", static_cast<std::int64_t>(key.least)},
          {"maximum", static_cast<std::int64_t>(key.most)}};
}

}  // namespace wtool
