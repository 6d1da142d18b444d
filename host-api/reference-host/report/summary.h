// A run as text for a person: status, a table of the states with their times, and details of failures. summary_text is
// for a run that has just ended, run_text for an earlier one.
#pragma once

#include <string>

#include "journal/run_record.h"
#include "report/failed_steps.h"
#include "runner/run_observer.h"
#include "workflow/model/model.h"

namespace wtool::host::report {

struct SummaryStyle {
  bool table = true;   // of the states; without it where each line of it stands on the screen already
  bool quiet = false;  // only the status, and what is to be known of failures
};

// Text for people, with a newline at the end; safe for a terminal. `run`: the id by which the run can be resumed; empty
// if it cannot.
std::string summary_text(const workflow::Workflow& workflow, const runner::RunReport& report, const FailedSteps& failed,
                         const std::string& name, const std::string& run = "", SummaryStyle style = {});

// "completed", "failed", "aborted"; of a run that has no end "running" where it is being written, else "interrupted".
std::string status_text(const journal::RunRecord& run, bool being_written);

// What happened, with the ends of the outputs of failed steps, and of the standard error of other steps; safe for a
// terminal.
std::string run_text(const journal::RunRecord& run, bool being_written);

// "2026-11-21 23:15:02", in UTC.
std::string time_text(journal::Moment at);

}  // namespace wtool::host::report
