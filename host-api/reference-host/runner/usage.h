// What prompts have used: counted by the runner, and reported by the command that gets the prompts.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

namespace wtool::host::runner {

// The sum, or the nearest limit of the type: what was used never becomes less, whatever a command reports.
inline std::int64_t saturated_sum(std::int64_t one, std::int64_t other) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(one, other, &sum)) return sum;
  return one < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

struct Usage {
  std::int64_t calls = 0;
  std::int64_t tokens = 0;
  double cost = 0;
  std::chrono::milliseconds time{};

  Usage& operator+=(const Usage& more) {
    calls = saturated_sum(calls, more.calls);
    tokens = saturated_sum(tokens, more.tokens);
    cost += more.cost;
    time = std::chrono::milliseconds(saturated_sum(time.count(), more.time.count()));
    return *this;
  }
  bool any() const { return calls != 0 || tokens != 0 || cost != 0 || time.count() != 0; }
};

}  // namespace wtool::host::runner
