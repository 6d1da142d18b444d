// Limits how many bytes a pilot may send before the host has taken them: see base/pilot/channel.h.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/pilot/channel.h"

namespace wtool::host {

// Any thread may call any member, but set_size() only between calls.
class Window {
 public:
  void set_size(std::size_t bytes) {
    const std::scoped_lock lock(mutex_);
    size_ = std::clamp(bytes, pilot::smallest_window, pilot::max_window);
  }
  std::size_t max_event() const { return std::min(size_ / 4, pilot::max_event); }
  // Waits until a text of this size may be sent. False: the connection is over.
  bool enter(std::size_t text) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return over_ || sent_ - taken_ < size_; });
    sent_ += pilot::cost(text);
    return !over_;
  }
  void taken(std::uint64_t bytes) {
    const std::scoped_lock lock(mutex_);
    taken_ = std::min(std::max(taken_, bytes), sent_);
    changed_.notify_all();
  }
  bool all_taken() {
    const std::scoped_lock lock(mutex_);
    return over_ || taken_ == sent_;
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t size_ = pilot::smallest_window;  // changes between calls
  std::uint64_t sent_ = 0, taken_ = 0;
  bool over_ = false;
};

}  // namespace wtool::host
