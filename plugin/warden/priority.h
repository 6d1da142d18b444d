// Keepers must get their turn however many processes a command sets running: a watch that waits its turn behind a
// thousand others sees and ends nothing. Where the kernel allows it (root, CAP_SYS_NICE), the warden and its custodians
// run before everybody else; a command runs as the host did.
#pragma once

namespace wtool::warden {

// Once, in the warden, before the first custodian: this process, and those that it forks.
void rise_above_processes();

// Where the scheduler is fair to sessions first, and to their processes second, the session of all keepers must rise
// too. It costs every call that follows a twenty-fifth of its time, so that it is done when there is something to hold:
// limits to watch over, or a tree that will not die. It stays so.
void rise_above_sessions();

// In a command's process. A system call and nothing else; false with errno.
bool return_to_usual_priority();

}  // namespace wtool::warden
