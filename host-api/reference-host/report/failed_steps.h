// The steps of a run that failed, with the ends of their outputs: as a run keeps them for its summary (put that behind a
// Masking), and as a journal has them.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "journal/run_record.h"
#include "report/step_label.h"
#include "runner/run_observer.h"

namespace wtool::host::report {

struct FailedStep {
  std::string label;  // as step_label()
  bool aborted = false;
  bool secret = false;  // its outputs must not be shown; they are empty
  std::int64_t exit_code = 0;
  std::string command;
  std::string message;
  std::string hint;  // of the tool: what to do
  std::string standard_output;
  std::string standard_error;  // of both the end
  std::string branch;
};

// What a tool's error says to do; empty: nothing.
std::string hint_of(const runner::Outcome& outcome);

// Of each step the last visit, in the order of their ends; of very many the last ones. A step that only stands for others
// (a matrix, a workflow that was run) is not among them, unless none of those failed.
struct FailedList {
  std::deque<FailedStep> steps;
  std::size_t left_out = 0;

  // `stands_for_others`: all branches that begin with `below` are parts of it.
  void add(FailedStep step, bool stands_for_others, const std::string& below);
};

// What failed in an earlier run. What was stopped is among it only where the run was stopped: as its last one.
FailedList failed_in(const journal::RunRecord& run);

// " (2 steps failed, and the workflow continued: A, B)"; empty where none failed.
std::string continued_after(const FailedList& failed);

// What each one had to say, as a part of a summary; those that were stopped are named alone, but for the last one of a
// run that was stopped (`aborted`).
void append_failed(std::string& out, const FailedList& failed, bool aborted, const std::string& reason);

// All members: any thread.
class FailedSteps final : public runner::RunObserver {
 public:
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_ended(const runner::Step& step, const runner::StepEnd& end) override;

  // The run must be over.
  const FailedList& all() const { return failed_; }

 private:
  std::mutex mutex_;
  CombinationNames combinations_;
  FailedList failed_;
};

}  // namespace wtool::host::report
