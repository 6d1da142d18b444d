// Pure functions for the configuration file with which a client of the protocol starts this server, in that client's
// own format: they take a text and return a text.
//
//   const Client* client = find_client("codex");
//   const auto changed = add_server(client->format, text, {"shell", {"/usr/local/bin/wtool", "mcp"}}, problem);
//
// - The rest of the file stays as it is, byte for byte: comments, order, blanks and line ends.
// - A file that is not understood is not changed, and `problem` says why. A changed JSON or YAML text is read again and
//   compared with the old one: if the meaning of anything except the server has changed, the change is not made,
//   either.
// - Removing what was added restores the old text, with two exceptions: an added list of servers stays as an empty
//   list, and a newline that was added to the last line stays. A replaced server, or a removed `{}` of YAML, does not
//   come back.
// The formats are those in the clients' documentation of 2026.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::mcp {

enum class ClientFormat { servers, vscode, zed, opencode, codex_toml, goose_yaml };

struct Client {
  // Where the client's file is: in the project, or below one of the user's folders.
  enum class Place { project, home, config_home, codex_home };
  std::string_view name;
  std::string_view title;
  Place place;
  std::string_view path;        // relative to that place
  std::string_view other_path;  // the file that is used instead if it exists; empty: there is only one file
  ClientFormat format;
  std::string_view note = {};  // what a user of this client should know
};

std::span<const Client> clients();
std::vector<std::string> known_clients();
// The client with this name; nullptr: no such client is known.
const Client* find_client(std::string_view name);

// `argv`: the absolute path of the program, and its arguments, in UTF-8. `name`: the client's name for the server.
struct ClientServer {
  std::string name;
  std::vector<std::string> argv;
};

// True for 1 to 64 letters, digits, `_` and `-`.
bool is_server_name(std::string_view name);

// `text` with the server added, or put in place of the one of the same name. Nothing: `problem` says why.
std::optional<std::string> add_server(ClientFormat format, const std::string& text, const ClientServer& server,
                                      std::string& problem);

// `text` without the server; unchanged if it has none of this name. Nothing: `problem` says why.
std::optional<std::string> remove_server(ClientFormat format, const std::string& text, const std::string& name,
                                         std::string& problem);

// The command that starts the server of this name. Empty: the text has no such server. One empty word: the server is
// not started by a command. Nothing: the text is not understood, and `problem` says why.
std::optional<std::vector<std::string>> server_argv(ClientFormat format, const std::string& text,
                                                    const std::string& name, std::string& problem);

}  // namespace wtool::host::mcp
