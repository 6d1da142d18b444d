// The configuration with which a client of the protocol starts this server, in that client's own format. Pure: texts in,
// texts out.
//
//   const Client* client = find_client("codex");
//   const auto changed = add_server(client->format, text, {"shell", {"/usr/local/bin/wtool", "mcp"}}, problem);
//
// - What is in the file besides stays as it is, byte for byte: comments, order, blanks and ends of lines.
// - A file that is not understood in full is not changed: `problem` says why. So is one whose text would mean anything
//   else than before, but for the server: each changed text is read again and compared.
// - What was added to a text and is removed leaves that text again, but for a list of servers that was not there: it
//   stays, empty.
// The formats are those of the clients' documentation in 2026.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::mcp {

enum class ClientFormat { servers, vscode, zed, opencode, codex_toml, goose_yaml };

struct Client {
  // Where its file is: in the project, or below a folder of the user's.
  enum class Place { project, home, config_home, codex_home };
  std::string_view name;
  std::string_view title;
  Place place;
  std::string_view path;        // relative to that
  std::string_view other_path;  // where the file is rather, if there is one; may be empty
  ClientFormat format;
  std::string_view note = {};  // what its user should know
};

std::span<const Client> clients();
std::vector<std::string> known_clients();
// nullptr: there is no such client.
const Client* find_client(std::string_view name);

// `argv`: the program by its absolute path, and its arguments, in UTF-8. `name`: the client's name for the server.
struct ClientServer {
  std::string name;
  std::vector<std::string> argv;
};

// Letters, digits, `_` and `-`, at most 64.
bool is_server_name(std::string_view name);

// `text` with the server; where it has one of this name, with this in its place. Nothing with `problem`.
std::optional<std::string> add_server(ClientFormat format, const std::string& text, const ClientServer& server,
                                      std::string& problem);

// `text` without it; the same text where it is not there. Nothing with `problem`.
std::optional<std::string> remove_server(ClientFormat format, const std::string& text, const std::string& name,
                                         std::string& problem);

// What starts the server that the text has under this name. Empty: there is none. One empty word: there is one that is
// started in another way. Nothing with `problem`: the text is not understood.
std::optional<std::vector<std::string>> server_argv(ClientFormat format, const std::string& text,
                                                    const std::string& name, std::string& problem);

}  // namespace wtool::host::mcp
