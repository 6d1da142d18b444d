// Finds what is wrong with the actions of a workflow: tools, workflows and prompts that are missing, timeouts out of
// range, places in commands where no value can stand, names that cannot be set, states that do not exist.
#pragma once

#include <string>
#include <vector>

#include "workflow/check/check_context.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// `given` are the names of --var.
void check_actions(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                   Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
