// Keeps the ends of the outputs of the steps that failed, for the summary of a run. Put it behind a Masking.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "reporting/step_label.h"
#include "runner/run_observer.h"

namespace wtool::host::workflow {

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
};

// What a tool's error says to do; empty: nothing.
std::string hint_of(const Outcome& outcome);

// All members: any thread.
class FailedSteps final : public RunObserver {
 public:
  void combination_begun(const std::string& branch, const expressions::Value& values) override;
  void state_ended(const Step& step, const StepEnd& end) override;

  // Of each step the last visit, in the order of their ends; of very many the last ones. Steps that only stand for
  // others (a matrix, a workflow that was run) are not among them. The run must be over.
  const std::deque<FailedStep>& all() const { return steps_; }
  std::size_t left_out() const { return left_out_; }

 private:
  std::mutex mutex_;
  CombinationNames combinations_;
  std::deque<FailedStep> steps_;
  std::size_t left_out_ = 0;
};

}  // namespace wtool::host::workflow
