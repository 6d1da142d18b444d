// Finds actions in the wrong place of a workflow file, where they would have no effect: list items outside of the
// section `Actions`, and descriptions of states in the diagram.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// Call it after all other actions were read: if a state has an action, further text about it is documentation. An
// action that is found counts as the state's, so that it is not reported as missing, too.
void find_lost_actions(const Source& source, const Document& document, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
