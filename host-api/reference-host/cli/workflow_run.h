// Runs a workflow file from the command line: what `wtool run` and `wtool resume` have in common.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/approvals.h"
#include "cli/context.h"
#include "cli/given_variables.h"
#include "journal/journal_reader.h"
#include "report/progress.h"

namespace wtool::host {

// Exit statuses of runs, in addition to exit_ok, exit_failed and exit_unusable.
inline constexpr int exit_refused = 3;
inline constexpr int exit_unwritten = 4;  // run, but a report, the events, the summary or its id could not be written
inline constexpr int exit_suspended = 5;  // an approval waits; `wtool approve RUN` continues the run
inline constexpr int exit_aborted = 130;

struct RunFlags {
  GivenVariables variables;
  runner::RunPart part;
  std::size_t max_parallel = 0;  // 0: no limit
  bool fail_fast = false;        // --fail-fast
  bool no_fail_fast = false;     // --no-fail-fast
  bool force = false;            // also runs the steps that are up to date
  bool yes = false;
  bool step = false;
  bool verbose = false;
  bool quiet = false;
  std::optional<report::OutputStyle> output;
  bool no_journal = false;
  int detached = -1;   // for a detached run, the descriptor that reports its beginning (detach.h); -1: not detached
  std::string events;  // this and the next two are the names of files; empty: no file
  std::string junit;
  std::string html;
  std::vector<std::string> files() const { return {events, junit, html}; }
};

void add_run_options(CLI::App& command, RunFlags& flags);
// Only the options of what the run shows and reports; add_run_options() adds them, too.
void add_report_options(CLI::App& command, RunFlags& flags);
// False: the options contradict each other or what the process can do; the reason is on standard error.
bool can_begin(const RunFlags& flags);

// The exit status of a run that has ended in this way. `refused`: the policy or a person has refused something.
int exit_status_of(runner::RunReport::Status status, bool refused);

// The exit status that the recorded run had, as far as the journal shows.
int exit_status_of(const journal::RunRecord& run);

// The run to continue.
struct Resumed {
  std::string run;         // the run's id, the beginning of the id, or `last`; below the working directory
  std::string from;        // a state; empty: continues where the run ended
  bool keeps_part = true;  // if the flags name no part, the part of the earlier run is used
};

// True if the files that the flags name can be written while this workflow file runs, and afterwards. False: the reason
// is on standard error. `journal`: the file of the run that is continued; empty: it is a new run.
bool can_write_files(const RunFlags& flags, const std::string& workflow, const std::string& journal = "");

// How run_file() ended.
struct FileRunEnd {
  int status = exit_ok;
  bool misused = false;  // the run did not begin, and the reason is an option, not the workflow
  int signal = 0;        // the first signal that came during the run, even if the run was completed; 0: none
};

// Reads, checks and runs a workflow.
FileRunEnd run_file(Context& context, const std::string& file, const RunFlags& flags);

// The next three functions continue a run, and return the exit status.

// Continues the last run of the file from that run's last visit of the state `from`, with what was recorded before that
// visit.
int run_from(Context& context, const std::string& file, const std::string& from, const RunFlags& flags);

int resume_run(Context& context, const Resumed& wanted, const RunFlags& flags);

// Continues a run whose journal is already open, with answers to the questions that it waits for. `keeps_part` is as in
// Resumed.
int continue_run(Context& context, journal::ResumedRun resumed, std::vector<GivenApproval> given, const RunFlags& flags,
                 bool keeps_part, runner::Secrets& secrets);

// Runs `wtool plan` or `wtool run --dry-run` (plan.cc), and returns the exit status.
struct PlanStyle {
  bool json = false;
  bool force = false;  // as in RunFlags
};
int plan_file(Context& context, const std::string& file, const GivenVariables& variables, const runner::RunPart& part,
              PlanStyle style);

}  // namespace wtool::host
