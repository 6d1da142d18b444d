// Lets a test's helper program mount file systems that no other process sees.
#pragma once

namespace wtool::test {

// Moves this process, which must have one thread, into a mount namespace of its own; without root, with a user
// namespace. False where the system does not allow that.
bool leave_mounts();

}  // namespace wtool::test
