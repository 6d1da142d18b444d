// Reads the label of a transition: always, default, success, failure, or an expression.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// Sets kind and condition of a transition whose label and label_offset are set. A condition that is not understood is a
// diagnostic; the exit itself stays.
void read_condition(Transition& transition, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
