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

// Warns at those of them that the file seems to rely on: a state behind one looks at how the state before it ended, or
// the file lies below a folder `.swissarmyhammer`.
void check_older_rule(const Workflow& workflow, const std::string& file, Diagnostics& diagnostics);

// The text of the file with the key `failures: continue` in its front matter, made where it has none; all else is kept
// byte for byte. Empty: `error` says why not.
std::string with_failures_continue(const Source& source, std::string& error);

}  // namespace wtool::host::workflow
