// Who is at the other end of a socket: never a process of a call.
//
// All processes of a call are below its custodian, a subreaper, also those that have become daemons, and a custodian is
// below its warden. Both have names that no command can take away from them, and that the kernel tells everybody.
#pragma once

#include <sys/types.h>

#include <string>

namespace wtool::host {

// Why the process must not answer a question; empty: it may. It must not where its ancestors cannot be looked at. Holds
// for the process that has the number while this runs: the caller sees to it that it is the right one, by a pidfd that it
// opened before and that says afterwards that the process has not ended.
std::string peer_problem(pid_t process);

}  // namespace wtool::host
