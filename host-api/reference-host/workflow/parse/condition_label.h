// Reads the label of a transition: always, default, success, failure, or an expression.
#pragma once

#include "workflow/model/findings.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// Sets kind and condition of a transition whose label and label_offset are set. A condition that is not understood is a
// finding, and the exit stays: it still leads where it leads.
void read_condition(Transition& transition, Findings& findings);

}  // namespace wtool::host::workflow
