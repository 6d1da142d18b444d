// The action `Run workflow "name" with name="value"`.
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "base/json.h"
#include "runner/actions/action_runner.h"
#include "workflow/model/parameters.h"

namespace wtool::host::workflow {

void WorkflowAction::perform(const WorkflowAction& action, runner::ActionRunner& runner) {
  const auto name = runner.render(action.workflow);
  if (!name) return;
  std::string why;
  const auto arguments = runner::rendered_arguments(action.arguments, runner.invocation, runner.context.variables, why);
  if (!arguments) return runner.mistaken(std::move(why));
  std::optional<std::chrono::milliseconds> timeout;
  if (!runner.take_timeout(timeout)) return;
  runner::ChildStop timed(runner.context.stop);
  std::optional<runner::Deadline> deadline;
  if (timeout) deadline.emplace(std::chrono::steady_clock::now() + *timeout, timed.stop(), "timeout");
  runner::SubworkflowResult end =
      runner::run_subworkflow(runner.step, runner.invocation, *name, *arguments, timed.stop());
  if (!end.mistake.empty()) return runner.mistake(action.workflow.written.locate(0), end.mistake);
  runner.result.outcome = std::move(end.outcome);
  runner.result.abort = end.abort;
  runner.result.fatal = end.fatal;
  runner.result.refused = end.refused;
  const bool timed_out = deadline && deadline->passed() && !runner.context.stop.requested();
  if (!timed_out || !runner.result.outcome.aborted || runner.result.abort) return;
  runner.result.outcome.aborted = false;
  runner.result.outcome.error = "timed_out";
  runner.fails("Workflow timed out after " + as_seconds(*timeout).dump() + " seconds", 124);
}

}  // namespace wtool::host::workflow
