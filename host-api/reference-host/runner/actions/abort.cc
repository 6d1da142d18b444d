// The action `Abort "reason"`.
#include "runner/actions/action_runner.h"

namespace wtool::host::workflow {

void AbortAction::perform(const AbortAction& action, runner::ActionRunner& runner) {
  const auto text = runner.render(action.message);
  if (!text) return;
  runner.result.abort = true;
  runner.result.outcome.aborted = true;
  runner.fails(*text, 130);
}

}  // namespace wtool::host::workflow
