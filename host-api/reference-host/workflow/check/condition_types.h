// Finds conditions that compare values of types that are never alike: `exit_code == "0"`, `success == 1`.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// An error where the run itself gives the value; a warning where a parameter does, which a state may set to another.
void check_condition_types(const Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
