// poll(2) for loops. Without a pause, a loop in which every poll fails would use a whole processor until the cause is
// gone, such as a lack of memory, or a descriptor limit that another process has lowered (prlimit(2)).
#pragma once

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace wtool {

// Like poll(2), but waits after a failure other than EINTR: 20 ms, or `timeout_ms` if that is shorter.
inline int calm_poll(pollfd* watched, nfds_t count, int timeout_ms) noexcept {
  const int ready = ::poll(watched, count, timeout_ms);
  if (ready >= 0 || errno == EINTR) return ready;
  const int error = errno;
  constexpr int longest_ms = 20;
  const int pause_ms = timeout_ms < 0 ? longest_ms : std::min(timeout_ms, longest_ms);
  const timespec pause{0, pause_ms * 1'000'000L};
  ::nanosleep(&pause, nullptr);
  errno = error;
  return ready;
}

}  // namespace wtool
