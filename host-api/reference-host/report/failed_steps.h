// The failed steps of a run, with the ends of their outputs: collected during a run for its summary (through a
// Masking), or taken from a journal.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "journal/run_record.h"
#include "report/text.h"
#include "runner/run_observer.h"

namespace wtool::host::report {

struct FailedStep {
  std::string label;  // made by step_label()
  bool aborted = false;
  bool aborts = false;   // its action is an Abort, which has stopped the other steps
  bool handled = false;  // the workflow continued after the failure of this step, or of a step that contains it
  bool ended = false;    // handled by an exit straight to the end of the run
  bool not_run = false;  // the tool did not run its command
  bool secret = false;   // its outputs must not be shown, and are therefore empty here
  std::int64_t exit_code = 0;
  std::string command;
  std::string message;
  std::string hint;  // the tool's advice on what to do
  std::string standard_output;
  std::string standard_error;  // only the ends of both outputs
  std::string branch;
};

// True if the step left the main path by an exit straight to the end of the run.
bool ended_the_run(const std::string& branch, const runner::StepEnd& end);

// The advice in a tool's error; empty: the error has none.
std::string hint_of(const runner::Outcome& outcome);

// The last visit of each failed state, in the order in which the visits ended; only the latest if there are very many.
// A step that contains other steps (a matrix, an inner workflow) is listed only if none of the inner steps is.
struct FailedList {
  std::deque<FailedStep> steps;
  std::size_t left_out = 0;

  // `stands_for_others`: the step contains other steps, namely those of all branches whose names begin with `below`.
  void add(FailedStep step, bool stands_for_others, const std::string& below);
};

// The failed steps of an earlier run. Steps that were stopped are included only if the run has ended. Steps that
// contain other steps come last.
FailedList failed_in(const journal::RunRecord& run);

// The text about failures that the workflow survived: " (2 steps failed, and the workflow continued: A, B)". After a
// failure that led straight to the end: " (1 step failed, and the workflow ended there: C)". Empty if no step failed.
std::string continued_after(const FailedList& failed);

// Adds the errors of the failed steps to a summary, last those after which the workflow continued. Steps that were
// stopped are only named, except for one of a run that was itself stopped (`aborted`): the first Abort, or else the last
// step.
void append_failed(std::string& out, const FailedList& failed, bool aborted, const std::string& reason);

// Adds the names of the steps that were running when the process of the run ended, and that their outputs are lost: a
// journal gets the output of a call only when the call has ended.
void append_interrupted(std::string& out, const journal::RunRecord& run);

// Any thread may call any member.
class FailedSteps final : public runner::RunObserver {
 public:
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;

  // Call it only after the run has ended.
  const FailedList& all() const { return failed_; }

 private:
  std::mutex mutex_;
  CombinationNames combinations_;
  FailedList failed_;
};

}  // namespace wtool::host::report
