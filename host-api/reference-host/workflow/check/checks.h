// The checks of a parsed workflow, each in the file of its name; checker.h runs them all. `given` are the names of
// --var.
#pragma once

#include <string>
#include <vector>

#include "workflow/check/check_context.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// diagram_checks.cc: no start, states that cannot be reached or left, exits that are never taken, joins without a fork.
// Linear.
void check_diagram(const Workflow& workflow, Diagnostics& diagnostics);

// name_checks.cc: each name that templates and conditions read is defined, an outcome has the field, and some path
// leads from a state that sets the value to the place that reads it.
void check_names(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                 Diagnostics& diagnostics);

// unread_states.cc: `${v1.2}`, `${build/all}`, `${run-tests:-x}` and `{{ 1-build }}` where that is the name of a state.
// Such a name cannot be a placeholder: the text would stay as it is, and a shell would read a variable of its own.
void check_unread_states(const Workflow& workflow, Diagnostics& diagnostics);

// condition_types.cc: conditions that compare values whose types never match, `exit_code == "0"` or `success == 1`. An
// error if the run itself gives the value; a warning if a parameter does, because a state may give it another type.
void check_condition_types(const Workflow& workflow, Diagnostics& diagnostics);

// action_checks.cc: missing tools, workflows and prompts, timeouts out of range, values in commands at places where
// they cannot be quoted, names that cannot be set, unknown states.
void check_actions(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                   Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
