// Finds what is wrong with a workflow that was read, before anything of it runs.
//
// - The diagram: a start, an end, no state that cannot be reached or left, no two exits that are always open.
// - Names: every variable that a template or a condition reads is a parameter, set by an action, a result, a state, one
//   of the run's own (success, failure, exit_code, is_error, result, last_action_result), or given with --var.
// - Actions: tools that exist, timeouts in range, places in commands where a value can stand, names that may be set.
#pragma once

#include <string>
#include <vector>

#include "loader/tool_caller.h"
#include "workflow/findings.h"
#include "workflow/model.h"
#include "workflow/source.h"

namespace wtool::host::workflow {

// `given` are the names of --var. `tools` may be null: then tools are not looked up.
void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools,
                    Findings& findings);

// Every variable that the workflow reads in a template or condition, sorted, each once.
std::vector<std::string> names_read(const Workflow& workflow);

}  // namespace wtool::host::workflow
