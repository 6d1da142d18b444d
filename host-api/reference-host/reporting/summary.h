// The last word on a run: status, a table of the states with their times, and what there is to know about a failure.
#pragma once

#include <string>

#include "runner/run_observer.h"
#include "workflow/model.h"
#include "workflow/source.h"

namespace wtool::host::workflow {

// Text for people, with a newline at the end; safe for a terminal. `run`: the id by which the run can be resumed;
// empty: it cannot.
std::string summary_text(const Workflow& workflow, const RunReport& report, const std::string& name,
                         const std::string& run = "");

}  // namespace wtool::host::workflow
