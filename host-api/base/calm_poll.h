// poll(2) for loops. If poll fails for good, such a loop would take a whole processor until the reason is gone: there is
// no memory, or another process has lowered this process's limit of descriptors (prlimit(2)).
#pragma once

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace wtool {

// Like poll(2), but a failure other than EINTR takes up to 20 ms, and not longer than `timeout_ms`.
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
