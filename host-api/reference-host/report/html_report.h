// A run as one page that needs nothing else: no script, no style and no picture from elsewhere.
#pragma once

#include <string>

#include "journal/run_record.h"
#include "workflow/model/model.h"

namespace wtool::host::report {

// With the diagram where the workflow is given; null: without. What is in `run` stands there as it is, so secrets must
// have been masked before. The page is well-formed XML, too.
std::string html_report(const journal::RunRecord& run, const workflow::Workflow* workflow);

}  // namespace wtool::host::report
