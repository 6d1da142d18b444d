// Finds actions that a workflow file has in the wrong place, where they would do nothing: list items outside of the
// section `Actions`, and descriptions of states in the diagram.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// To be called when all other actions have been read: what a state with an action has elsewhere is documentation. What
// is found counts as the state's action, so that nothing else is told of its absence.
void find_lost_actions(const Source& source, const Document& document, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
