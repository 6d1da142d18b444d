// One step of a run: the action of one state, or of one combination of a matrix, run now or taken from the run that is
// resumed. The caller stores its values and follows the path.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runner/actions.h"
#include "runner/run.h"

namespace wtool::host::runner {

struct RanStep {
  Step step;
  StepEnd end;          // of a step that was run before: as it ended then; else the caller fills it in
  ActionResult result;  // of a state without an action: a success
  bool replayed = false;
  bool was_left = false;  // replayed, and the path had gone on to another state
};

// `announce` is called before the observers hear of the step; `perform` runs its action, where it was not run before.
RanStep run_step(Run& run, const workflow::Workflow& workflow, std::size_t state, const std::string& branch,
                 std::uint64_t sequence, const std::function<void()>& announce,
                 const std::function<ActionResult(Step& step)>& perform);

// Runs the action with its tries (`retry`, `backoff`, `total_timeout`) until it succeeds, or until the tries or the
// time are used up. What cannot succeed later (an abort, a mistake of the workflow, a refusal) is not tried again.
// `step.tries` counts the tries. Does not throw.
ActionResult run_tries(Step& step, const ActionContext& context);

}  // namespace wtool::host::runner
