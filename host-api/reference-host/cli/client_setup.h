// wtool mcp --install, --uninstall and --list: adds this server to a client's configuration, removes it, and shows
// which clients have it.
//
// - The change is shown first. It is made after a yes on the terminal, or with --yes.
// - A file is replaced as a whole: a new file is written beside it and renamed to its name. A file that somebody else
//   changes meanwhile is left alone. Below the project, no link is followed, since a command may have made it. In the
//   user's own folders, links to the user's own files are followed.
// - A copy of the original file is kept in the user's state folder. If nothing else in the file has changed since,
//   removing the server restores exactly that copy.
#pragma once

#include <string>

#include "mcp/client_config.h"

namespace wtool::host {

struct ClientSetup {
  const mcp::Client* client = nullptr;
  std::string project;  // absolute; empty: outside of a project
  bool yes = false;
};

// All return the exit status; the reason for a failure is on stderr.
int install_server(const ClientSetup& setup, const mcp::ClientServer& server);
int uninstall_server(const ClientSetup& setup, const std::string& name);
int list_clients(const std::string& project, const std::string& name);

// The path of the client's file, as messages show it.
std::string client_file(const mcp::Client& client, const std::string& project);

// The text of a client's file with this server and nothing else.
std::string snippet(const mcp::Client& client, const mcp::ClientServer& server);

}  // namespace wtool::host
