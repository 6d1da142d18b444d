// Keepers must get processor time however many processes a command starts: a monitor that queues with a thousand others
// sees and ends nothing. Where the kernel allows it (root, CAP_SYS_NICE), the warden and its custodians run at a higher
// priority than everybody else; a command runs at the host's.
#pragma once

namespace wtool::warden {

// Once, in the warden, before the first custodian: this process, and those that it forks.
void rise_above_processes();

// Some schedulers divide time between sessions first, and between their processes second; there, the session of all
// keepers must rise too. That costs every later call 4 % of its time, so it is done only when needed: when there are
// limits to watch, or a tree does not die. It is never undone.
void rise_above_sessions();

// In a command's process. A system call and nothing else; false with errno.
bool return_to_usual_priority();

}  // namespace wtool::warden
