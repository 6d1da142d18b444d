// The older form of a workflow file, with a section for each state:
//
//   ## States
//   ### Build
//   **Type**: Action
//   **Action**: Shell "make"
//   **Store As**: build
//
// and parameters as a list under `## Parameters`.
#pragma once

#include <cstddef>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// Fills sections and parameters of the document, from line `first` on.
void read_sections(const Source& source, std::size_t first, const std::vector<bool>& code_lines, Document& document);

// Applies the sections to the states. Actions count only if the file has none under `## Actions`, parameters only if
// the front matter has none.
void apply_sections(const Document& document, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
