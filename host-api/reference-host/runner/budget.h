// Budgets of workflows: what the prompts of a workflow, and of the workflows that it runs, have used, and what is left.
//
// - A call is counted before it begins. The tokens and the cost that the command reports are counted when the command
//   has ended. A budget is used up when one of its limits is reached. From then on, the command gets no prompt.
// - A prompt counts for its own workflow and for every workflow around it.
// - A resumed run counts what its earlier parts have used. While steps are only replayed, a condition reads what had
//   been used when it was first evaluated, so that it gives the same result as before.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "expressions/value.h"
#include "runner/step_place.h"
#include "runner/usage.h"

namespace wtool::host::runner {

struct WorkflowInvocation;
class PastRun;

// What one workflow that is being run has used. Guarded by the run's usage mutex.
struct Meter {
  Usage spent;        // in all parts of the run
  Usage seen;         // by the steps that this part has replayed
  bool live = false;  // a prompt has run in this part, so conditions read everything that was spent

  const Usage& shown() const { return live ? spent : seen; }
};

// Call it when the workflow begins; `branch` is its main path.
void count_earlier_usage(const WorkflowInvocation& invocation, const std::string& branch);
// Call it for a step that is taken from the earlier run.
void count_replayed_usage(const WorkflowInvocation& invocation, const StepPlace& place);

// Counts a call, unless a budget is used up. Returns the reason why the call was not counted; empty: it was counted.
std::string begin_call(const WorkflowInvocation& invocation);
void count_usage(const WorkflowInvocation& invocation, const Usage& usage);

// How much time the budgets leave for a call; nothing: no budget limits the time.
std::optional<std::chrono::milliseconds> time_left(const WorkflowInvocation& invocation);
// True if a budget needs the command to report its tokens, or its cost.
bool needs_tokens(const WorkflowInvocation& invocation);
bool needs_cost(const WorkflowInvocation& invocation);

// The value `budget`: what is left of each amount that a budget limits (`calls`, `tokens`, `cost`, and `time` in
// seconds), and `used`, which always has all four amounts.
expressions::Value budget_value(const WorkflowInvocation& invocation);

}  // namespace wtool::host::runner
