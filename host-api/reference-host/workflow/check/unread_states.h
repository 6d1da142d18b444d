// Names of states that a text seems to read as a value, although no placeholder can have such a name.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// Finds `${v1.2}`, `${build/all}`, `${run-tests:-x}` and `{{ 1-build }}` where that is the name of a state. The text
// would stay as it is written, and a shell would read a variable of its own.
void check_unread_states(const Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
