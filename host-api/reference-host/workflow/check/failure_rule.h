// Which transitions are taken after a failure. `A --> B` means success, for the reasons in
// docs/decisions/0016-a-plain-arrow-means-success.md.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

// True if the exit has no condition: A --> B, `always` or `default`. Such an exit is the last resort of its state.
bool is_unconditional(const Transition& exit);

// True for success, failure, exit_code and is_error: the names that say how an action ended, not what it returned.
bool is_outcome_name(std::string_view name);

// True if the condition of `exit` asks how an action ended: success, failure, exit_code or is_error, even as a field
// (A.exit_code).
bool tests_outcome(const Transition& exit);

// True if the state may fail by itself: it is a join, or has an action that can fail (ActionType::can_fail). Other
// states fail only by a mistake that ends the run.
bool can_fail(const State& state);

// True if `exit`, an unconditional exit of `state`, is taken after failures, too.
bool takes_failure(const Workflow& workflow, const State& state, const Transition& exit);
// The same for a composite state `state` that has failed because nothing inside handles a failure. `failures: continue`
// does not count then.
bool takes_inner_failure(const Workflow& workflow, const State& state, const Transition& exit);

// True if any exit of `state`, even one with a condition, may be taken after a failure.
bool may_take_failures(const Workflow& workflow, const State& state);
// The same for the failure of takes_inner_failure().
bool may_take_inner_failure(const Workflow& workflow, const State& state, const Transition& exit);

// True if the action of the state is an Abort, after which nothing of the run follows except `finally`.
bool ends_run(const State& state);

// Where states lead after a success.
class AfterSuccess {
 public:
  // Takes linear time. Borrows the workflow.
  explicit AfterSuccess(const Workflow& workflow);

  // The targets to which the state may lead after a success of `done`, which is the state itself or one before it.
  // Conditions are evaluated with what that success makes certain; one that depends on anything else may be open.
  std::vector<std::size_t> targets(const State& state, const State& done) const;

 private:
  std::set<std::string, std::less<>> set_;  // variables of the workflow, which hide the names of the run
};

// True if the exit, when it is taken after a failure, passes the failure on to its target: a choice, a join, or the end
// of a composite state. The exits of the target then have to handle the failure.
bool hands_failure_on(const Workflow& workflow, const State& state, const Transition& exit);

// True if an exit has the condition `failure`. Such an exit is taken even after a refusal or a mistake of its state.
bool has_failure_exit(const State& state);
// True if a condition of an exit reads `exhausted`.
bool has_exhausted_exit(const State& state);

// The name of the state in the file. For a hidden state, that of its composite state; [*] for the end.
std::string shown_name(const Workflow& workflow, std::size_t state);

}  // namespace wtool::host::workflow
