// Finds mistakes in a workflow that was parsed, before anything of it runs.
//
// - The diagram: a start, an end, no state that cannot be reached or left, no exit that is never taken.
// - Names: every variable that a template or a condition reads is a parameter, set by an action, a result, a state, one
//   of the run's own (variables.h), or given with --var. Values are not compared if their types never match.
// - Actions: tools, workflows and prompts exist, timeouts are in range, values in commands are at places where they can
//   be quoted, names may be set, and states to which failures lead exist.
#pragma once

#include <string>
#include <vector>

#include "loader/tool_caller.h"
#include "workflow/check/check_context.h"
#include "workflow/check/name_uses.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {

// `given` are the names of --var.
void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                    Diagnostics& diagnostics);

// The same with tools alone; they may be null: then tools are not looked up.
void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools,
                    Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
