// What of a sandbox this kernel can enforce. A value, so that a test can pretend.
#pragma once

namespace wtool::engine {

struct SandboxFeatures {
  int landlock_abi = 0;    // 0: none,
  int landlock_error = 0;  // and the errno that says why
  bool seccomp = false;

  // Of the kernel that runs now.
  static SandboxFeatures of_kernel();
};

}  // namespace wtool::engine
