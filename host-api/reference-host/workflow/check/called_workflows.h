// Checks the workflows that a workflow runs, and those that they run, as far as their names are no templates.
#pragma once

#include <vector>

#include "workflow/check/check_context.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/library.h"

namespace wtool::host::workflow {

struct CalledWorkflow {
  const Library::Entry* entry = nullptr;
  Diagnostics diagnostics;  // of the check; those of reading are the entry's
};

// Each once. An argument counts as given if any of the calls gives it. `check_context` must have a library. A workflow
// that cannot be found is a diagnostic of the one that calls it, and is not reported here.
std::vector<CalledWorkflow> check_called_workflows(const Workflow& workflow, const CheckContext& check_context);

}  // namespace wtool::host::workflow
