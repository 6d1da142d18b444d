// Reads one item `- State: action` under `## Actions`.
#pragma once

#include "workflow/findings.h"
#include "workflow/markdown.h"
#include "workflow/model.h"
#include "workflow/source.h"

namespace wtool::host::workflow {

// Gives the state its action. Whatever is not understood, or is not supported yet, is a finding.
void read_action(const ActionItem& item, Workflow& workflow, Findings& findings);

}  // namespace wtool::host::workflow
