// Finds what is wrong with the actions of a workflow: tools, workflows and prompts that are missing, timeouts out of
// range, places in commands where no value can stand, names that cannot be set, states that do not exist.
#pragma once

#include <string>
#include <vector>

#include "workflow/check/surroundings.h"
#include "workflow/model/findings.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// `given` are the names of --var.
void check_actions(const Workflow& workflow, const std::vector<std::string>& given, const Surroundings& surroundings,
                   Findings& findings);

// What is wrong with setting a variable of this name, or with a parameter of it, if it is one of the run's own.
void check_own_name(const std::string& name, std::size_t offset, Findings& findings);

}  // namespace wtool::host::workflow
