// keep=["dist/**"]: copies of files that a step has made, beside the journal of the run.
#pragma once

#include "runner/actions.h"

namespace wtool::host::runner {

// Copies what the option names into the run's outputs, whether the step has succeeded or not, and adds it to the step. What cannot be
// kept is told, and fails nothing.
void keep_files(Step& step, const ActionContext& context);

}  // namespace wtool::host::runner
