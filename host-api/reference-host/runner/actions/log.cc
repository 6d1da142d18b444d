// The action `Log "text"`.
#include "runner/actions/action_runner.h"
#include "runner/secrets.h"

namespace wtool::host::workflow {

void LogAction::perform(const LogAction& action, runner::ActionRunner& runner) {
  const auto text = runner.render(action.message);
  if (!text) return;
  runner.result.outcome.standard_output = *text;
  const bool is_shown = !runner::gives_secrets(runner.step);
  runner.invocation.run.observer().logged(runner.step, action.level, is_shown ? *text : runner::Secrets::mask);
}

}  // namespace wtool::host::workflow
