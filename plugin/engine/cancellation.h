// The cancellation of a call, and waits that also end when the call is cancelled or its deadline passes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/wake_up.h"

namespace wtool::engine {

// Any thread may request the cancellation of a call. The thread that runs the call notices it through a descriptor.
class Cancellation {
 public:
  enum class Mode : std::uint32_t { none = 0, graceful = 1, now = 2 };

  Cancellation();  // Throws std::system_error when no descriptor is free.

  // Never waits; any thread may call it. Only the first request sets the reason. `now` overrides `graceful`.
  void request(Mode mode, std::string_view reason);

  Mode mode() const { return mode_.load(std::memory_order_acquire); }
  std::string reason() const;

  // While it lives, `act` is called for each request that takes effect, on the thread that makes it: the thread that
  // runs the call may be held up by the receiver of the output. `act` must neither wait nor use the cancellation. If a
  // request has already taken effect, `act` is called immediately.
  class Direct {
   public:
    Direct(Cancellation& cancellation, std::function<void(Mode)> act);
    ~Direct();
    Direct(const Direct&) = delete;
    Direct& operator=(const Direct&) = delete;

   private:
    Cancellation& cancellation_;
  };

  // Readable after a request, until acknowledge() is called.
  int descriptor() const { return requested_.descriptor(); }
  void acknowledge() { requested_.clear(); }

 private:
  WakeUp requested_;
  std::atomic<Mode> mode_{Mode::none};
  mutable std::mutex mutex_;
  std::string reason_;
  std::function<void(Mode)> direct_;
};

// Waits until `descriptor` has one of `events` (those of poll; POLLHUP and POLLERR are always included), or the time
// has passed. True only in the first case. Signals to the calling thread neither end the wait nor lengthen it.
bool has_event(int descriptor, short events, std::chrono::milliseconds most = std::chrono::milliseconds(0));

struct Patience {
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const Cancellation& cancellation;

  bool over() const;

  // Waits until `descriptor` has one of `events` (those of poll), `most` has passed, or the patience is over. True only
  // in the first case.
  bool await(int descriptor, short events, std::chrono::milliseconds most) const;
};

}  // namespace wtool::engine
