// A run in the formats that other programs read: JSON, JUnit XML, and HTML. Each is in the file of its name.
#pragma once

#include <string>

#include "journal/run_record.h"
#include "workflow/model/model.h"

namespace wtool::host::report {

// run_json.cc: an earlier run as one JSON object, which docs/guide/runs.md describes. Without a newline at the end.
// `steps`: with all steps and logs.
std::string run_json(const journal::RunRecord& run, const std::string& status, bool steps);

// junit.cc: a run as JUnit XML, for what shows results of tests. A suite for each branch, a case for each visit of a
// state. A failed step whose failure the workflow handled counts as skipped, not as failed. A run that failed without a
// failed step gets a case of its own that says so, so that a run that did not complete never looks green.
std::string junit_xml(const journal::RunRecord& run);

// html_report.cc: a run as one page that needs nothing else: no script, no style and no picture from elsewhere. A page
// about the run, with the diagram if `workflow` is not null. The contents of `run` are shown unchanged, so secrets must
// be masked before. The page is also well-formed XML.
std::string html_report(const journal::RunRecord& run, const workflow::Workflow* workflow);

}  // namespace wtool::host::report
