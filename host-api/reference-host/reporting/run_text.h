// An earlier run, for a person at a terminal.
#pragma once

#include <string>

#include "reporting/run_record.h"

namespace wtool::host::workflow {

// "completed", "failed", "aborted"; of a run that has no end "running" where it is being written, else "interrupted".
std::string status_text(const RunRecord& run, bool being_written);

// What happened, with the ends of the outputs of the steps that failed, and of standard error of those that succeeded;
// safe for a terminal.
std::string run_text(const RunRecord& run, bool being_written);

// "2026-11-21 23:15:02", in UTC.
std::string time_text(Moment at);

}  // namespace wtool::host::workflow
