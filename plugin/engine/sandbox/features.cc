#include "engine/sandbox/features.h"

#include <linux/seccomp.h>

#include <cerrno>

#include "engine/sandbox/landlock.h"

namespace wtool::engine {

SandboxFeatures SandboxFeatures::of_kernel() {
  SandboxFeatures features;
  features.landlock_abi = landlock::abi_version();
  if (features.landlock_abi < 1) {
    features.landlock_error = errno;
    features.landlock_abi = 0;
  }
  // Asks, and changes nothing.
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  features.seccomp = ::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) == 0;
  return features;
}

}  // namespace wtool::engine
