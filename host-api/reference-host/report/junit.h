// A run as JUnit XML, for what shows results of tests.
#pragma once

#include <string>

#include "journal/run_record.h"

namespace wtool::host::report {

// A suite for each branch, a case for each visit of a state. A step that failed and that the workflow went on from is
// skipped, not failed: the workflow has dealt with it. A run that failed without a failed step has a case of its own
// that says so, so that a run that did not complete never looks green.
std::string junit_xml(const journal::RunRecord& run);

}  // namespace wtool::host::report
