// Where the questions of this user's processes wait: a folder with one socket for each process that asks, PID.sock.
//
// It is in the first of these places that exists: $XDG_RUNTIME_DIR (/run/user/UID where that is not set, since
// clients start their servers with few variables), and the folder for state. Whoever looks for questions looks in all
// of them. Beside that: who is at the other end of such a socket.
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

// Opens the folder; `make`: makes it where it is not there. None: it is not there, or it is not this user's alone, and
// `why` says so.
Descriptor open_question_folder(const std::string& path, bool make, std::string& why);

// An address by the opened folder, which is as short as an address must be.
sockaddr_un socket_address(const Descriptor& folder, std::string_view name);

// The names of sockets in the folder. Those that processes have left over are removed.
std::vector<std::string> question_sockets(const Descriptor& folder);

// ---- Who is at the other end of a socket: never a process of a call.
//
// All processes of a call are below its custodian, a subreaper, also those that have become daemons, and a custodian is
// below its warden. Both have names that no command can take away from them, and that the kernel tells everybody.

// Why the process must not answer a question; empty: it may. It must not where its ancestors cannot be looked at. Holds
// for the process that has the number while this runs: the caller sees to it that it is the right one, by a pidfd that
// it opened before and that says afterwards that the process has not ended.
std::string peer_problem(pid_t process);

}  // namespace wtool::host
