// `wtool run --step`: shows each step to a person before it runs, and asks whether to run it.
#pragma once

#include <mutex>
#include <string>

#include "base/stop.h"
#include "runner/run_observer.h"

namespace wtool::host {

// Any thread may call any member. If several branches want to begin a step, their questions come one after the other.
class Stepping {
 public:
  // True if a person can be asked at all.
  static bool is_possible();

  // Asks whether the step, which does `what`, may begin. False: the run is to end. After a False, or if the person
  // wants no more questions, nothing is asked and every step may begin, so that the states of `finally` run.
  bool may_begin(const runner::Step& step, const std::string& what, Stop& stop);

 private:
  std::mutex mutex_;
  bool asks_ = true;
};

}  // namespace wtool::host
