// Where the questions of this user's processes wait: a folder with one socket for each process that asks, PID.sock.
//
// It is in the first of these places that is there: $XDG_RUNTIME_DIR (/run/user/UID where that is not set, since clients start
// their servers with few variables), and the folder for state. Whoever looks for questions looks in all of them.
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

}  // namespace wtool::host
