// Reads a whole workflow file.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {

// Never fails as a whole: mistakes go to `diagnostics`, and a workflow with any error must not be run. Linear in the
// size of the file.
Workflow parse_workflow(const Source& source, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
