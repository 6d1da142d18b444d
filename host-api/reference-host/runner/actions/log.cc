// The action `Log "text"`.
#include "runner/actions/action_runner.h"

namespace wtool::host::workflow {

void LogAction::perform(const LogAction& action, runner::ActionRunner& runner) {
  const auto text = runner.render(action.message);
  if (!text) return;
  runner.result.outcome.standard_output = *text;
  runner.invocation.run.observer().logged(runner.step, action.level, *text);
}

}  // namespace wtool::host::workflow
