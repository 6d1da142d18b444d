// The option keep=["dist/**"]: keeps copies of files that a step has made, beside the journal of the run.
#pragma once

#include "runner/actions.h"

namespace wtool::host::runner {

// Copies the files that the option names into the run's outputs, whether the step has succeeded or not, and adds them
// to the step. A file that cannot be kept is reported as a notice, and does not make the step fail.
void keep_files(Step& step, const ActionContext& context);

}  // namespace wtool::host::runner
