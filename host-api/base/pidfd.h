// Opens and checks pidfds. Unlike the number of a process, a pidfd never refers to another process later.
#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace wtool {

// Empty with errno: there is no such process, or the kernel has no pidfds.
inline Descriptor open_process(pid_t number) noexcept {
  return Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, number, 0U)));
}

inline bool has_ended(const Descriptor& process) noexcept {
  pollfd end{process.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) != 0;
}

}  // namespace wtool
