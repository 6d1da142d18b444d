// An action with its tries: `retry`, `backoff`, `total_timeout`.
#pragma once

#include "runner/actions.h"

namespace wtool::host::runner {

// Runs the action until it succeeds, or until the tries or the time are used up. What cannot succeed later (an abort, a
// mistake of the workflow, a refusal) is not tried again. `step.tries` counts the tries. Does not throw.
ActionResult run_tries(Step& step, const ActionContext& context);

}  // namespace wtool::host::runner
