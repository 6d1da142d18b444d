// Time for deadlines, in milliseconds: CLOCK_MONOTONIC, which does not change when somebody sets the clock.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace wtool::warden {

inline std::int64_t now_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000;
}

// The timeout for poll until the deadline, in milliseconds and rounded up: at least 0, at most a minute.
inline int poll_timeout(std::int64_t deadline_ms) {
  return static_cast<int>(std::clamp<std::int64_t>(deadline_ms - now_ms() + 1, 0, 60'000));
}

}  // namespace wtool::warden
