// Reads the lines of a mermaid stateDiagram-v2. What only changes the look of the diagram (direction, notes, styles,
// titles) is accepted and ignored; anything else that is not understood is a diagnostic, because it would change the
// run.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// Fills states, index and start. The first line of `lines` is the word stateDiagram-v2.
void read_diagram(const Source& source, LineRange lines, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
