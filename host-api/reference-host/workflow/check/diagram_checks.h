// Finds what is wrong with the states and transitions of a workflow: no start, states that cannot be reached or left,
// exits that are never taken, joins without a fork. Linear.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

void check_diagram(const Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
