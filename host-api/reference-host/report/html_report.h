// A run as one page that needs nothing else: no script, no style and no picture from elsewhere.
#pragma once

#include <string>

#include "journal/run_record.h"
#include "workflow/model/model.h"

namespace wtool::host::report {

// A page about the run, with the diagram if `workflow` is not null. The contents of `run` are shown unchanged, so
// secrets must be masked before. The page is also well-formed XML.
std::string html_report(const journal::RunRecord& run, const workflow::Workflow* workflow);

}  // namespace wtool::host::report
