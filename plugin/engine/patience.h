// Waiting for one descriptor, and how long a call may wait at all: until its deadline, or until it is cancelled.
#pragma once

#include <chrono>
#include <optional>

#include "engine/cancellation.h"

namespace wtool::engine {

// Waits until `descriptor` has one of `events` (as for poll; POLLHUP and POLLERR always count), or the time has passed.
// Signals to the calling thread neither end the wait nor lengthen it.
bool has_event(int descriptor, short events, std::chrono::milliseconds most = std::chrono::milliseconds(0));

struct Patience {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const Cancellation& cancellation;

  bool over() const;

  // Waits until `descriptor` has one of `events` (as for poll), `most` has passed, or the patience is over. True only
  // in the first case.
  bool await(int descriptor, short events, std::chrono::milliseconds most) const;
};

}  // namespace wtool::engine
