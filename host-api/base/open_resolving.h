// open() with rules for how the path is resolved: without symbolic links, or only below a folder (openat2, Linux 5.6).
//
// Without openat2, open_resolving() fails with ENOSYS. It never falls back to a plain open(), which would follow the
// links that the caller forbids. A caller may fall back to open() only where the rules serve speed and not protection.
#pragma once

#include <fcntl.h>
#include <linux/openat2.h>
#include <unistd.h>

#include <cstdint>

namespace wtool {

// Returns a descriptor that is closed on exec, or -1 with errno on failure. `flags` are those of open(); `resolve`
// combines RESOLVE_ constants. Makes one system call and allocates nothing, so the child of a vfork may use it.
inline int open_resolving(int from, const char* path, int flags, std::uint64_t resolve) {
  constexpr long sys_openat2 = 437;  // Newer than some C libraries. The number is the same on every architecture.
  open_how how{};
  how.flags = static_cast<unsigned>(flags | O_CLOEXEC);
  how.resolve = resolve;
  return static_cast<int>(::syscall(sys_openat2, from, path, &how, sizeof how));
}

}  // namespace wtool
