#include "mcp/client_config.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace wtool::host::mcp {

namespace {

using nlohmann::ordered_json;

enum class Format { servers, vscode, zed, opencode, codex_toml, goose_yaml };

struct Client {
  std::string_view name;
  std::string_view file;
  Format format;
};

constexpr auto clients = std::to_array<Client>({
    {"claude-code", ".mcp.json in the project", Format::servers},
    {"claude-desktop", "claude_desktop_config.json (Settings, Developer, Edit Config)", Format::servers},
    {"codex", "~/.codex/config.toml", Format::codex_toml},
    {"cursor", ".cursor/mcp.json in the project, or ~/.cursor/mcp.json", Format::servers},
    {"gemini", "~/.gemini/settings.json", Format::servers},
    {"goose", "~/.config/goose/config.yaml", Format::goose_yaml},
    {"opencode", "opencode.json in the project", Format::opencode},
    {"vscode", ".vscode/mcp.json in the project", Format::vscode},
    {"windsurf", "~/.codeium/windsurf/mcp_config.json", Format::servers},
    {"zed", "~/.config/zed/settings.json", Format::zed},
});

// A JSON text of a string is one of TOML and YAML, too.
std::string quoted(const std::string& text) { return ordered_json(text).dump(); }

std::string json_text(const char* key, const std::string& name, ordered_json server) {
  return ordered_json{{key, {{name, std::move(server)}}}}.dump(2) + '\n';
}

}  // namespace

std::optional<ClientConfig> client_config(std::string_view name, const std::vector<std::string>& argv,
                                          const std::string& server) {
  const auto client = std::find_if(clients.begin(), clients.end(), [&](const Client& one) { return one.name == name; });
  if (client == clients.end()) return std::nullopt;
  const std::string& program = argv.front();
  const std::vector<std::string> arguments(argv.begin() + 1, argv.end());
  const ordered_json list = arguments;
  std::string text;
  switch (client->format) {
    case Format::servers:
      text = json_text("mcpServers", server, {{"command", program}, {"args", list}});
      break;
    case Format::vscode:
      text = json_text("servers", server, {{"type", "stdio"}, {"command", program}, {"args", list}});
      break;
    case Format::zed:
      text = json_text("context_servers", server, {{"command", program}, {"args", list}});
      break;
    case Format::opencode:
      text = json_text("mcp", server, {{"type", "local"}, {"command", argv}, {"enabled", true}});
      break;
    case Format::codex_toml:
      text = "[mcp_servers." + server + "]\ncommand = " + quoted(program) + "\nargs = " + list.dump() + '\n';
      break;
    case Format::goose_yaml:
      text = "extensions:\n  " + server + ":\n    name: " + server +
             "\n    type: stdio\n    enabled: true\n    cmd: " + quoted(program) + "\n    args: " + list.dump() + '\n';
      break;
  }
  return ClientConfig{std::string(client->file), std::move(text)};
}

std::vector<std::string> known_clients() {
  std::vector<std::string> names;
  for (const Client& client : clients) names.emplace_back(client.name);
  return names;
}

}  // namespace wtool::host::mcp
