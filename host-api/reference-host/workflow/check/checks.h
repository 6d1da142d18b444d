// The checks of a workflow that was read, each in the file of its name; checker.h runs them all. `given` are the names
// of --var.
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
// leads from a state that sets the value to the place where it is read.
void check_names(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                 Diagnostics& diagnostics);

// unread_states.cc: `${v1.2}`, `${build/all}`, `${run-tests:-x}` and `{{ 1-build }}` where that is the name of a state.
// No placeholder can have such a name: the text would stay as it is written, and a shell would read a variable of its
// own.
void check_unread_states(const Workflow& workflow, Diagnostics& diagnostics);

// condition_types.cc: conditions that compare values of types that are never alike, `exit_code == "0"` or
// `success == 1`. An error where the run itself gives the value; a warning where a parameter does, which a state may set
// to another.
void check_condition_types(const Workflow& workflow, Diagnostics& diagnostics);

// action_checks.cc: tools, workflows and prompts that are missing, timeouts out of range, places in commands where no
// value can stand, names that cannot be set, states that do not exist.
void check_actions(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                   Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
