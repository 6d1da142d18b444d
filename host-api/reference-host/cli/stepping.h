// `wtool run --step`: a person sees each step before it is run, and says whether it is.
#pragma once

#include <mutex>
#include <string>

#include "base/stop.h"
#include "runner/run_observer.h"

namespace wtool::host {

// All members: any thread; branches are asked about one after the other.
class Stepping {
 public:
  // Whether somebody can be asked at all.
  static bool is_possible();

  // `what` the step does. False: the run is to end. After that, and after an answer that wants no more questions, nothing
  // is asked: the states of `finally` run.
  bool may_begin(const runner::Step& step, const std::string& what, Stop& stop);

 private:
  std::mutex mutex_;
  bool asks_ = true;
};

}  // namespace wtool::host
