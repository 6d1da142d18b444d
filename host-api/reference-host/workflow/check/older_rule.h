// Files that were written for the rule that a transition without a condition is taken after failures as well.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {

// The unconditional exits that were taken after a failure, and are not now. Empty under `failures: continue`.
std::vector<const Transition*> changed_exits(const Workflow& workflow);

// Warns about the exits whose old meaning the file seems to need: a later state looks at how the state before the exit
// ended, or the file lies below a folder `.swissarmyhammer`.
void check_older_rule(const Workflow& workflow, const std::string& file, Diagnostics& diagnostics);

// The text of the file with the key `failures: continue` in its front matter, which is added if missing; all else is
// kept byte for byte. Empty: `error` says why.
std::string with_failures_continue(const Source& source, std::string& error);

}  // namespace wtool::host::workflow
