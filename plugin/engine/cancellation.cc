#include "engine/cancellation.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/calm_poll.h"

namespace wtool::engine {

using Clock = std::chrono::steady_clock;

Cancellation::Cancellation() {
  if (!requested_) throw std::system_error(errno, std::generic_category(), "eventfd");
}

void Cancellation::request(Mode mode, std::string_view reason) {
  {
    const std::lock_guard lock(mutex_);
    if (mode <= mode_.load(std::memory_order_relaxed)) return;
    if (mode_.load(std::memory_order_relaxed) == Mode::none) reason_ = reason;
    mode_.store(mode, std::memory_order_release);
    if (direct_) direct_(mode);
  }
  requested_.signal();
}

Cancellation::Direct::Direct(Cancellation& cancellation, std::function<void(Mode)> act) : cancellation_(cancellation) {
  const std::lock_guard lock(cancellation_.mutex_);
  cancellation_.direct_ = std::move(act);
  if (const Mode mode = cancellation_.mode(); mode != Mode::none) cancellation_.direct_(mode);
}

Cancellation::Direct::~Direct() {
  const std::lock_guard lock(cancellation_.mutex_);
  cancellation_.direct_ = nullptr;
}

std::string Cancellation::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

bool has_event(int descriptor, short events, std::chrono::milliseconds most) {
  const auto end = Clock::now() + most;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    pollfd watched{descriptor, events, 0};
    const int ready = calm_poll(&watched, 1, static_cast<int>(std::max<decltype(left)>(left, 0)));
    if (ready >= 0) return ready > 0;
    // A failed wait also lasts until the time has passed, because a caller may wait in a loop.
    if (errno != EINTR && left <= 0) return false;
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
    if (calm_poll(watched, 2, static_cast<int>(left)) > 0 && watched[0].revents != 0) return true;
  }
  return false;
}

}  // namespace wtool::engine
