// The last word on a run: status, a table of the states with their times, and what there is to know about failures.
#pragma once

#include <string>

#include "reporting/failed_steps.h"
#include "runner/run_observer.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {

struct SummaryStyle {
  bool table = true;   // of the states; without it where each line of it stands on the screen already
  bool quiet = false;  // only the status, and what is to be known of failures
};

// Text for people, with a newline at the end; safe for a terminal. `run`: the id by which the run can be resumed;
// empty: it cannot.
std::string summary_text(const Workflow& workflow, const RunReport& report, const FailedSteps& failed,
                         const std::string& name, const std::string& run = "", SummaryStyle style = {});

}  // namespace wtool::host::workflow
