// How long runs and steps took, for reports of runs that were killed.
#pragma once

#include <string>

#include "base/time_text.h"
#include "journal/run_record.h"
#include "terminal/text.h"

namespace wtool::host::report {

// False if the process of its run was killed while the step ran: nothing says how long it had run until then.
inline bool is_time_known(const journal::StepRecord& step) {
  return step.status != runner::Step::Status::running || step.took.count() > 0;
}

// How long the run took: "3.10 s". Of an interrupted run, only the time until its last record is known, so it is "at
// least 3.10 s".
inline std::string time_of_run(const journal::RunRecord& run, bool being_written) {
  return (run.status || being_written ? "" : "at least ") + duration_text(run.took);
}

}  // namespace wtool::host::report
