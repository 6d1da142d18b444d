// A mutex that can be waited for with a time limit, for std::unique_lock.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace wtool::engine {

// std::timed_mutex calls pthread_mutex_clocklock, which the thread sanitizer of GCC 12 does not know: it takes the
// mutex for one that was never locked.
class TimedMutex {
 public:
  bool try_lock_for(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    if (!unlocked_.wait_for(lock, limit, [this] { return !locked_; })) return false;
    locked_ = true;
    return true;
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      locked_ = false;
    }
    unlocked_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable unlocked_;
  bool locked_ = false;
};

}  // namespace wtool::engine
