// Lets a test's helper program mount file systems that no other process sees.
#pragma once

namespace wtool::test {

// Moves this process, which must have one thread, into its own mount namespace, and into its own user namespace unless
// it is root. False: the system does not allow that.
bool leave_mounts();

}  // namespace wtool::test
