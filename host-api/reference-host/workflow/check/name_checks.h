// Checks the names that templates and conditions read: each is defined, an outcome has the field, and some path leads
// from a state that sets the value to the place where it is read.
#pragma once

#include <string>
#include <vector>

#include "workflow/check/check_context.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// `given` are the names of --var.
void check_names(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                 Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
