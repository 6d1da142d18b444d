// What a branch of a run does at a state: runs its step, with its tries; begins branches at a fork; runs an action once
// for each combination of a matrix; runs another workflow.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runner/actions.h"
#include "runner/outcome.h"
#include "runner/run.h"
#include "runner/variables.h"

namespace wtool::host::runner {

class NamedLock;

// ---- run_step.cc: one step: the action of one state, or of one combination of a matrix. It is run now, or taken from
// the run that is resumed. The caller stores the values of the step and follows the path.

struct RanStep {
  Step step;
  StepEnd end;          // if the step is replayed: how it ended before; if not, the caller fills it in
  ActionResult result;  // for a state without an action: a success
  bool replayed = false;
  bool was_left = false;  // replayed, and its path continued to another state
};

// `values` are those that the action reads. `announce` is called before the step is reported to observers. `perform`
// runs the action of the step, and is not called if the step is taken from the earlier run.
RanStep run_step(const WorkflowInvocation& invocation, std::size_t state, const StepPlace& place,
                 const expressions::Scope& values, const std::function<void()>& announce,
                 const std::function<ActionResult(Step& step)>& perform);

// ---- tries.cc: the action of one step, with the options around it.

// Runs the action with its tries (`retry`, `backoff`, `total_timeout`) until it succeeds, or until the tries or the
// time are used up. An action that cannot succeed later, after an abort, a mistake in the workflow or a refusal, is not
// tried again. `step.tries` counts the tries. Does not throw.
ActionResult run_tries(Step& step, const ActionContext& context);

// ---- fork.cc: parallel branches, which a fork begins and a join merges.

// Calls `work(0)` to `work(count - 1)`, each on its own thread (at most `max_threads` at a time); returns when all are
// done. If no more threads can be started, the existing ones do the rest. Rethrows the first exception of `work`.
inline constexpr std::size_t max_threads = 1024;
void run_parallel(std::size_t count, const std::function<void(std::size_t index)>& work);

struct ForkResult {
  BranchResult branch_result;             // failed (a branch could not continue), aborted, or else ended
  std::size_t join = workflow::no_state;  // where the path continues; no_state: all branches have ended
  std::optional<LastStep> last;           // the last outcomes of the branches, combined into one
};

// Runs all branches of the fork, which is the step at `place`, and merges what they have set into `variables`.
// `lineage` is that of the fork's own branch.
ForkResult run_fork(const WorkflowInvocation& invocation, const StepPlace& place, const workflow::State& fork,
                    Variables& variables, Stop& stop, Lineage lineage);

// ---- matrix.cc: runs an action with a matrix once for each combination, all at the same time.

// The combinations of the lists, or what is wrong with the matrix. The lists are taken in the order of their names, and
// the value of the last list changes fastest.
std::variant<std::vector<expressions::Value>, std::string> combinations(const nlohmann::json& matrix,
                                                                        const expressions::Scope& values);

// Each combination runs as one step in a branch of its own, with its values in `matrix` and its own tries. The outcome
// has a list of the outcomes of all combinations, and is a failure if one of them is. A combination that fails ends the
// others, unless `fail_fast` is off and the failure does not end the whole run.
ActionResult run_matrix(const Step& step, const ActionContext& context);

// ---- executor.cc: runs a workflow from its start to its end: the root of a run, or one that an action runs.

// Takes the lock of a workflow with `concurrency`. `step` is the place_name() of the step that runs the workflow;
// empty: it was started directly. Null: the workflow has no such lock, a workflow around it already holds the lock, or
// the lock could not be taken and `end` says how the workflow ended.
std::unique_ptr<NamedLock> take_turn(const WorkflowInvocation& invocation, const std::string& step, Stop& stop,
                                     BranchResult& end);

// Runs the invocation's workflow from start to end, with its `on failure` and `finally`. `branch` is the name of its
// main path.
BranchResult run_invocation(const WorkflowInvocation& invocation, const std::string& branch, Variables& variables,
                            Stop& stop);

// ---- subworkflow.cc: runs the workflow that a step runs.

struct SubworkflowResult {
  Outcome outcome;
  bool abort = false;    // it ended by an Abort, which ends the whole run
  bool fatal = false;    // it ended because of a refusal, a mistake or a limit
  bool refused = false;  // it ended because a call was refused
  std::string mistake;   // why it could not be run at all
};

// For a step that runs a workflow: what differs from its workflow in the run that is resumed, as the beginning of a
// sentence. Empty: nothing, or there is nothing to compare with, or the action has a mistake.
std::string changed_call(const WorkflowInvocation& invocation, const workflow::State& state, const StepPlace& place,
                         const expressions::Scope& values);

// Runs the workflow `name` for `step`, a step of the workflow of `invocation`.
SubworkflowResult run_subworkflow(const Step& step, const WorkflowInvocation& invocation, const std::string& name,
                                  const std::map<std::string, expressions::Value>& arguments, Stop& stop);

}  // namespace wtool::host::runner
