#include "runner/waiting.h"

#include <string>
#include <utility>

namespace wtool::host::runner {

using std::chrono::steady_clock;

bool wait_until(steady_clock::time_point when, Stop& stop) {
  std::mutex mutex;
  std::condition_variable changed;
  bool stopped = false;
  const auto subscription = stop.subscribe([&](const StopRequest&) {
    const std::lock_guard lock(mutex);
    stopped = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait_until(lock, when, [&] { return stopped; });
  lock.unlock();
  return !stop.requested();
}

Deadline::Deadline(steady_clock::time_point when, Stop& stop, std::string reason)
    : thread_([this, when, &stop, reason = std::move(reason)] {
        std::unique_lock lock(mutex_);
        if (changed_.wait_until(lock, when, [this] { return over_; })) return;
        passed_ = true;
        lock.unlock();
        stop.request(StopHow::graceful, reason);
      }) {}

Deadline::~Deadline() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Deadline::passed() const {
  const std::lock_guard lock(mutex_);
  return passed_;
}

bool Semaphore::acquire(Stop& stop, const std::function<void()>& waits) {
  if (!limited_) return !stop.requested();
  bool stopped = false;
  const auto subscription = stop.subscribe([&](const StopRequest&) {
    const std::lock_guard lock(mutex_);
    stopped = true;
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  if (!stopped && free_ == 0) {
    lock.unlock();
    waits();
    lock.lock();
  }
  changed_.wait(lock, [&] { return stopped || free_ > 0; });
  if (stopped) return false;
  --free_;
  return true;
}

void Semaphore::release() {
  if (!limited_) return;
  {
    const std::lock_guard lock(mutex_);
    ++free_;
  }
  changed_.notify_one();
}

}  // namespace wtool::host::runner
