// wtool approve RUN: answers the questions of actions Approve that have suspended a run, and continues the run.
#pragma once

#include <string>

#include "cli/context.h"
#include "cli/workflow_run.h"

namespace wtool::host {

struct RunAnswer {
  std::string run;      // as find_run (journal/runs_folder.h) takes it
  std::string word;     // yes or no; empty: asks on the terminal
  std::string comment;  // with `word`
  std::string state;    // whose question is meant; empty: all
  RunFlags flags;       // of the run that continues
};

// Whether `wanted` names a run below the working directory.
bool names_a_run(const std::string& wanted);

// A line for each suspended run below the working directory; safe for a terminal.
std::string suspended_runs();

// Returns the exit status: that of the run if it continues.
int approve_run(Context& context, const RunAnswer& answer);

}  // namespace wtool::host
