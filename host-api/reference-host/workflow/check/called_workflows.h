// Checks the workflows that a workflow runs, and those that they run, as far as their names are no templates.
#pragma once

#include <vector>

#include "workflow/check/surroundings.h"
#include "workflow/model/findings.h"
#include "workflow/model/model.h"
#include "workflow/parse/library.h"

namespace wtool::host::workflow {

struct CalledWorkflow {
  const Library::Entry* entry = nullptr;
  Findings findings;  // of the check; those of reading are the entry's
};

// Each once. The names of all arguments that any of the calls gives count as given. `surroundings` needs a library;
// what cannot be found is a finding of the workflow that calls it, and is not said here.
std::vector<CalledWorkflow> check_called_workflows(const Workflow& workflow, const Surroundings& surroundings);

}  // namespace wtool::host::workflow
