// Lets a test's helper program mount file systems that no other process sees.
#pragma once

namespace wtool::test {

// Moves this process, which must have one thread, into its own mount namespace. If it lacks the right to do that, it
// also gets its own user namespace. False: the system does not allow that either.
bool leave_mounts();

}  // namespace wtool::test
