// Keepers must get their turn however many processes a command sets running: a watch that waits its turn behind a
// thousand others sees and ends nothing. Where the kernel allows it (root, CAP_SYS_NICE), the warden and its custodians
// run before everybody else; a command runs as the host did.
#pragma once

namespace wtool::warden {

// Once, in the warden, before the first custodian.
void rise_above_commands();

// In a command's process. A system call and nothing else; false with errno.
bool return_to_usual_priority();

}  // namespace wtool::warden
