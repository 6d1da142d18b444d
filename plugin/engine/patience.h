// How long a call may wait for something that others do: until its deadline, or until it is cancelled.
#pragma once

#include <chrono>
#include <optional>

#include "engine/cancellation.h"

namespace wtool::engine {

struct Patience {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const Cancellation& cancellation;

  bool over() const;

  // Waits until `descriptor` has one of `events` (as for poll), `most` has passed, or the patience is over. True in the
  // first case alone.
  bool await(int descriptor, short events, std::chrono::milliseconds most) const;
};

}  // namespace wtool::engine
