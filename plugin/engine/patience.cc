#include "engine/patience.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace wtool::engine {

using Clock = std::chrono::steady_clock;

bool has_event(int descriptor, short events, std::chrono::milliseconds most) {
  const auto end = Clock::now() + most;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd watched{descriptor, events, 0};
    const int ready = ::poll(&watched, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (ready >= 0) return ready > 0;
    if (errno != EINTR) return false;
  }
}

bool Patience::over() const {
  return cancellation.mode() != Cancellation::Mode::none || (deadline && Clock::now() >= *deadline);
}

bool Patience::await(int descriptor, short events, std::chrono::milliseconds most) const {
  auto end = Clock::now() + most;
  if (deadline) end = std::min(end, *deadline);
  while (!over()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    if (left <= 0) return false;
    pollfd watched[] = {{descriptor, events, 0}, {cancellation.descriptor(), POLLIN, 0}};
    if (::poll(watched, 2, static_cast<int>(left)) > 0 && watched[0].revents != 0) return true;
  }
  return false;
}

}  // namespace wtool::engine
