// Waiting that a stop ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

#include "base/stop.h"

namespace wtool::host::workflow {

// Until then, or until a stop is requested: false.
bool wait_until(std::chrono::steady_clock::time_point when, Stop& stop);

// Requests a stop at a time, unless it ends before.
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

// How many calls run at the same time.
class Slots {
 public:
  // 0: no limit.
  explicit Slots(std::size_t count) : limited_(count > 0), free_(count) {}

  // Waits for a free one; false: a stop was requested.
  bool take(Stop& stop);
  void give();

 private:
  const bool limited_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;
};

// One of them, from when it is free until the end of this object.
class Slot {
 public:
  Slot(Slots& slots, Stop& stop) : slots_(slots), taken_(slots.take(stop)) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() {
    if (taken_) slots_.give();
  }

  // False: a stop was requested.
  bool taken() const { return taken_; }

 private:
  Slots& slots_;
  const bool taken_;
};

}  // namespace wtool::host::workflow
