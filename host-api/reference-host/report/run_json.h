// An earlier run as one JSON object, for programs. docs/guide/runs.md describes it.
#pragma once

#include <string>

#include "journal/run_record.h"

namespace wtool::host::report {

// Without a newline at the end. `steps`: with all steps and logs.
std::string run_json(const journal::RunRecord& run, const std::string& status, bool steps);

}  // namespace wtool::host::report
