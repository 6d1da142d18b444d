// The check of `wtool lint --strict` before a run.
#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace wtool::host {

// True if `wtool lint --strict` finds nothing in the workflow; a file, or the name of one. False: the findings are on
// standard error. `given` are the names of the given parameters.
bool passes_strict_lint(Context& context, const std::string& workflow, std::vector<std::string> given);

}  // namespace wtool::host
