// A run as JUnit XML, for what shows results of tests.
#pragma once

#include <string>

#include "journal/run_record.h"

namespace wtool::host::report {

// A suite for each branch, a case for each visit of a state. A failed step whose failure the workflow handled counts as
// skipped, not as failed. A run that failed without a failed step gets a case of its own that says so, so that a run
// that did not complete never looks green.
std::string junit_xml(const journal::RunRecord& run);

}  // namespace wtool::host::report
