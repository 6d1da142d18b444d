// States whose names are not those of variables, where a text names them and nothing replaces that.
#pragma once

#include "workflow/model/findings.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// `${v1.2}`, `${build/all}`, `${run-tests:-x}` and `{{ 1-build }}`, where that is the name of a state: a text would keep
// it as it is written, and a shell reads it as a variable of its own.
void check_unread_states(const Workflow& workflow, Findings& findings);

}  // namespace wtool::host::workflow
