// wtool approve RUN: answers the questions of `Approve` actions that have suspended a run, and continues the run.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/workflow_run.h"
#include "journal/run_record.h"

namespace wtool::host {

struct RunAnswer {
  std::string run;      // in a form that find_run (journal/runs_folder.h) accepts
  std::string word;     // yes or no; empty: asks on the terminal
  std::string comment;  // belongs to `word`; empty without it
  std::string state;    // the state whose question is answered; empty: all
  RunFlags flags;       // of the run that continues
};

// True if `wanted` names a run below the working directory.
bool names_a_run(const std::string& wanted);

// The suspended runs below the working directory, the newest first, without steps and logs. `error` says which runs may
// be missing because this user may not read them; empty: none.
std::vector<journal::RunRecord> runs_that_wait(std::string& error);

// Two lines for each suspended run: why it is suspended, and the command that continues it. Safe for a terminal. `error`
// as above.
std::string suspended_runs(std::string& error);

// A line for each run below the working directory that asks a question on its own terminal at the moment: where to
// answer it. Safe for a terminal. Runs that cannot be read are left out.
std::string runs_that_ask();

// Answers the questions, and continues the run. Returns the program's exit status, which is that of the run if the run
// continues.
int approve_run(Context& context, const RunAnswer& answer);

}  // namespace wtool::host
