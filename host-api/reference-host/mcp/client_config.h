// The configuration with which a client of the protocol starts this server, in that client's own format. Pure.
//
//   client_config("codex", {"/usr/local/bin/wtool", "mcp", "--root", "/home/me/app"})->text
//
// The formats are those of the clients' documentation in 2026.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::mcp {

struct ClientConfig {
  std::string file;  // where it belongs, as a person knows it
  std::string text;  // ends with a newline
};

// `argv`: the server's program, by its absolute path, and its arguments, in UTF-8. `server`: the client's name for it,
// one word. Nothing for an unknown client.
std::optional<ClientConfig> client_config(std::string_view client, const std::vector<std::string>& argv,
                                          const std::string& server = "shell");

std::vector<std::string> known_clients();

}  // namespace wtool::host::mcp
