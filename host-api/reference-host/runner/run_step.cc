#include "runner/steps.h"

#include <chrono>
#include <utility>

#include "runner/services.h"

namespace wtool::host::runner {

RanStep run_step(const WorkflowInvocation& invocation, std::size_t state, const StepPlace& place,
                 const expressions::Scope& values, const std::function<void()>& announce,
                 const std::function<ActionResult(Step& step)>& perform) {
  Run& run = invocation.run;
  const workflow::Workflow& workflow = invocation.workflow;
  RanStep ran;
  ran.step = run.begin_step(invocation, state, place);
  Step& step = ran.step;
  const PastStep* past = run.past(place, step.of(), [&] { return changed_call(invocation, step.of(), place, values); });
  // A secret output is not in the journal, so the step is run again.
  if (past != nullptr && past->end.secret) past = nullptr;
  // A service ended with the earlier run, so it must be started again.
  if (past != nullptr && is_needed_again(run, workflow, state, place)) past = nullptr;
  step.replayed = ran.replayed = past != nullptr;
  announce();
  run.observer().state_entered(step);
  if (past != nullptr) {
    ran.was_left = past->end.transitioned;
    ran.end = past->end;
    ran.result.outcome = ran.end.outcome;
    ran.result.assigned = ran.end.assigned;
    ran.result.ends_workflow = ran.end.ends_workflow;
    ran.result.command = ran.end.command;
    step.tries = past->tries;
    step.took = past->took;
  } else if (step.of().action) {
    ran.result = perform(step);
    step.took = std::chrono::steady_clock::now() - step.began;
    step.up_to_date = ran.result.up_to_date;
    step.made_files = std::move(ran.result.made_files);
    ran.result.outcome.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(step.took).count();
  }
  step.exit_code = ran.result.outcome.exit_code;
  step.status = status_of(ran.result.outcome);
  return ran;
}

}  // namespace wtool::host::runner
