// The action `Approve "question"`.
#include "runner/actions/action_runner.h"
#include "runner/approval.h"

namespace wtool::host::workflow {

namespace {

// True for the `finally` of the workflow that was started, if its path has come to its end: nothing failed before it.
bool is_in_finally_of_success(const runner::ActionRunner& runner) {
  return runner.invocation.parent == nullptr && runner.invocation.completed &&
         runner.step.branch.starts_with(runner::finally_branch);
}

}  // namespace

void ApproveAction::perform(const ApproveAction& action, runner::ActionRunner& runner) {
  const auto question = runner.render(action.question);
  if (!question) return;
  if (question->empty()) return runner.mistake(action.question.written.locate(0), "the question is empty");
  const bool in_finally = is_in_finally_of_success(runner);
  runner::ApprovalRequest request{.place = runner.step.place(),
                                  .state = runner.step.of().id,
                                  .question = *question,
                                  .by = {},
                                  .timeout = {},
                                  .after_repeated_steps = runner.invocation.run.repeats_steps(runner.step.branch),
                                  .after_failure = runner::is_in_last_states(runner.step.branch) && !in_finally,
                                  .in_finally = in_finally};
  if (action.by) {
    const auto by = runner.render(*action.by);
    if (!by) return;
    // An empty name would have the same effect as a missing `by`: the user who runs the workflow could answer.
    if (by->empty()) {
      return runner.mistake(action.by->written.locate(0), "`by` is empty; name the user or the group who may answer");
    }
    request.by = *by;
  }
  if (!runner.take_timeout(request.timeout)) return;
  const runner::Approve& approve = runner.invocation.run.request().services.approve;
  runner::ApprovalAnswer answer;
  answer.why = "approvals cannot be given here";
  if (approve) answer = approve(request, runner.context.stop);
  if (answer.kind == runner::ApprovalAnswer::Kind::stopped) return runner.stopped();
  runner.result.outcome = runner::to_outcome(request, answer);
  runner.result.refused = runner::is_refusal(runner.result.outcome);
}

}  // namespace wtool::host::workflow
