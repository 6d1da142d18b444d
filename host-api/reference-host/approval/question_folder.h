// Where the questions of this user's processes wait: a folder with one socket for each process that asks, PID.sock.
//
// The folder is in the first of these places that can be used: $XDG_RUNTIME_DIR (/run/user/UID if that is not set,
// since MCP clients start their servers with few variables), $XDG_STATE_HOME, and ~/.local/state. A program that looks
// for questions looks in all of them. This file also finds out who is at the other end of such a socket.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"

namespace wtool::host {

std::vector<std::string> question_folders();

// Opens the folder; with `make`, creates it if it is missing. An empty descriptor: the folder is missing, or somebody
// else may have access to it; `why` says which.
Descriptor open_question_folder(const std::string& path, bool make, std::string& why);

// The socket's address by way of the opened folder, because the folder's own path may be too long for an address.
sockaddr_un socket_address(const Descriptor& folder, std::string_view name);

// The names of sockets in the folder. Sockets that dead processes have left are removed.
std::vector<std::string> question_sockets(const Descriptor& folder);

// ---- Who is at the other end of a socket. It must not be a process of a call.
//
// All processes of a call, daemons included, are below its custodian, which is a subreaper, and a custodian is below
// its warden. Both have names that no command can change and that the kernel shows to everybody.

// Why the process must not answer a question; empty: it may. It must not answer if its ancestors cannot be examined.
// The result is about whichever process has this number while the function runs. To make sure that this is the right
// process, the caller opens a pidfd before the call, and checks after it that the pidfd's process has not ended.
std::string peer_problem(pid_t process);

}  // namespace wtool::host
