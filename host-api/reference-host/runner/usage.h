// What prompts have used: counted by the runner, and reported by the command that they are given to.
#pragma once

#include <chrono>
#include <cstdint>

namespace wtool::host::runner {

struct Usage {
  std::int64_t calls = 0;
  std::int64_t tokens = 0;
  double cost = 0;
  std::chrono::milliseconds time{};

  Usage& operator+=(const Usage& more) {
    calls += more.calls;
    tokens += more.tokens;
    cost += more.cost;
    time += more.time;
    return *this;
  }
  bool any() const { return calls != 0 || tokens != 0 || cost != 0 || time.count() != 0; }
};

}  // namespace wtool::host::runner
