#include "runner/run_step.h"

namespace wtool::host::runner {

RanStep run_step(Run& run, const workflow::Workflow& workflow, std::size_t state, const std::string& branch,
                 std::uint64_t sequence, const std::function<void()>& announce,
                 const std::function<ActionResult(Step& step)>& perform) {
  RanStep ran;
  ran.step = run.begin_step(workflow, state, branch, sequence);
  Step& step = ran.step;
  const PastStep* past = run.past(branch, sequence, step.of());
  // A secret output is not in the journal, so the step is run again.
  if (past != nullptr && past->end.secret) past = nullptr;
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
    ran.result.outcome.duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(step.took).count();
  }
  step.exit_code = ran.result.outcome.exit_code;
  step.status = status_of(ran.result.outcome);
  return ran;
}

}  // namespace wtool::host::runner
