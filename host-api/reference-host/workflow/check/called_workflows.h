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

// Each once. The names of all arguments that any of the calls gives count as given. `check_context` needs a library;
// what cannot be found is a diagnostic of the workflow that calls it, and is not said here.
std::vector<CalledWorkflow> check_called_workflows(const Workflow& workflow, const CheckContext& check_context);

}  // namespace wtool::host::workflow
