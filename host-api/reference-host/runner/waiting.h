// Ways to wait that end early when a stop is requested, and a stop for a part of a run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

#include "base/stop.h"

namespace wtool::host::runner {

// A stop for a part of a run. A request to `parent` also requests this stop. A request to this stop does not affect
// `parent`.
class ChildStop {
 public:
  // `parent` must outlive this object.
  explicit ChildStop(Stop& parent)
      : from_parent_(
            parent.subscribe([this](const StopRequest& request) { own_.request(request.how, request.reason); })) {}
  ChildStop(const ChildStop&) = delete;
  ChildStop& operator=(const ChildStop&) = delete;

  Stop& stop() { return own_; }

 private:
  Stop own_;
  Stop::Subscription from_parent_;  // destroyed first, because its callback uses own_
};

// Returns true at the time `when`, or false as soon as a stop is requested.
bool wait_until(std::chrono::steady_clock::time_point when, Stop& stop);

// Requests a stop at a certain time, unless this object is destroyed first.
class Deadline {
 public:
  Deadline(std::chrono::steady_clock::time_point when, Stop& stop, std::string reason);
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  ~Deadline();

  bool passed() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  bool passed_ = false;
  std::thread thread_;
};

// Limits how many calls run at the same time. Unlike with std::counting_semaphore, a stop wakes a waiting thread.
class Semaphore {
 public:
  // `count`: how many calls may run at the same time; 0: no limit.
  explicit Semaphore(std::size_t count) : limited_(count > 0), free_(count) {}

  // Waits for a free place; false: a stop was requested. Calls `waits` before it waits.
  bool acquire(Stop& stop, const std::function<void()>& waits);
  void release();

 private:
  const bool limited_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;
};

// Takes one place of a semaphore, as soon as one is free, and keeps it for the life of this object.
class SemaphoreHold {
 public:
  SemaphoreHold(Semaphore& semaphore, Stop& stop, const std::function<void()>& waits)
      : semaphore_(semaphore), held_(semaphore.acquire(stop, waits)) {}
  SemaphoreHold(const SemaphoreHold&) = delete;
  SemaphoreHold& operator=(const SemaphoreHold&) = delete;
  ~SemaphoreHold() {
    if (held_) semaphore_.release();
  }

  // True if this object has a place. False: a stop was requested.
  bool held() const { return held_; }

 private:
  Semaphore& semaphore_;
  const bool held_;
};

}  // namespace wtool::host::runner
