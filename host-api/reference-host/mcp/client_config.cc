#include "mcp/client_config.h"

#include <algorithm>
#include <array>

#include "base/utf8.h"
#include "mcp/client_formats.h"

namespace wtool::host::mcp {

namespace {

using Place = Client::Place;

constexpr auto known = std::to_array<Client>({
    {"claude-code", "Claude Code", Place::project, ".mcp.json", "", ClientFormat::servers,
     "Claude Code asks once whether it may use the servers of this project"},
    {"claude-desktop", "Claude Desktop", Place::config_home, "Claude/claude_desktop_config.json", "",
     ClientFormat::servers},
    {"codex", "Codex", Place::codex_home, "config.toml", "", ClientFormat::codex_toml},
    {"cursor", "Cursor", Place::project, ".cursor/mcp.json", "", ClientFormat::servers},
    {"gemini", "Gemini CLI", Place::home, ".gemini/settings.json", "", ClientFormat::servers},
    {"goose", "goose", Place::config_home, "goose/config.yaml", "", ClientFormat::goose_yaml},
    {"opencode", "opencode", Place::project, "opencode.json", "opencode.jsonc", ClientFormat::opencode},
    {"vscode", "VS Code", Place::project, ".vscode/mcp.json", "", ClientFormat::vscode},
    {"windsurf", "Windsurf", Place::home, ".codeium/windsurf/mcp_config.json", "", ClientFormat::servers},
    {"zed", "Zed", Place::config_home, "zed/settings.json", "", ClientFormat::zed},
});

// All three notations are UTF-8 text, and their parsers may mistake a zero byte for the end of the text.
bool is_readable(const std::string& text, std::string& problem) {
  if (!is_utf8(text)) {
    problem = "it is not valid UTF-8";
  } else if (text.find('\0') != std::string::npos) {
    problem = "it has a zero byte in it";
  } else {
    return true;
  }
  return false;
}

}  // namespace

std::span<const Client> clients() { return known; }

std::vector<std::string> known_clients() {
  std::vector<std::string> names;
  for (const Client& client : known) names.emplace_back(client.name);
  return names;
}

const Client* find_client(std::string_view name) {
  const auto client = std::find_if(known.begin(), known.end(), [&](const Client& one) { return one.name == name; });
  return client == known.end() ? nullptr : &*client;
}

bool is_server_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
             std::string_view::npos;
}

std::optional<std::string> add_server(ClientFormat format, const std::string& text, const ClientServer& server,
                                      std::string& problem) {
  if (!is_readable(text, problem)) return std::nullopt;
  if (format == ClientFormat::codex_toml) return toml_client::add(text, server, problem);
  if (format == ClientFormat::goose_yaml) return yaml_client::add(text, server, problem);
  return json_client::add(format, text, server, problem);
}

std::optional<std::string> remove_server(ClientFormat format, const std::string& text, const std::string& name,
                                         std::string& problem) {
  if (!is_readable(text, problem)) return std::nullopt;
  if (format == ClientFormat::codex_toml) return toml_client::remove(text, name, problem);
  if (format == ClientFormat::goose_yaml) return yaml_client::remove(text, name, problem);
  return json_client::remove(format, text, name, problem);
}

std::optional<std::vector<std::string>> server_argv(ClientFormat format, const std::string& text,
                                                    const std::string& name, std::string& problem) {
  if (!is_readable(text, problem)) return std::nullopt;
  if (format == ClientFormat::codex_toml) return toml_client::argv_of(text, name, problem);
  if (format == ClientFormat::goose_yaml) return yaml_client::argv_of(text, name, problem);
  return json_client::argv_of(format, text, name, problem);
}

}  // namespace wtool::host::mcp
