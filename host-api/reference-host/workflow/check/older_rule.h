// Files written for the older rule, by which a transition without a condition was taken after failures, too: which of
// their transitions mean something else today, and how such a file keeps the older rule. failure_rule.h has the present
// rule.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"

namespace wtool::host::workflow {

// The unconditional exits that are taken after a failure under the older rule, but not under the present one. Empty: no
// exit has changed, or the file has `failures: continue`.
std::vector<const Transition*> changed_exits(const Workflow& workflow);

// True if a state that comes after `exit`, an exit of the state `state`, looks at how `state` ended. The author then
// probably wants the exit to be taken after a failure, too.
bool is_looked_at_after(const Workflow& workflow, std::size_t state, const Transition& exit);

// Warns about the exits whose old meaning the file seems to need: a later state looks at how the state before the exit
// ended, or the file is below a folder `.swissarmyhammer`.
void check_older_rule(const Workflow& workflow, const std::string& file, Diagnostics& diagnostics);

// The text of the file with the key `failures: continue` added to its front matter, and with a front matter if the file
// has none; all else is kept byte for byte. Empty: `error` says why.
std::string with_failures_continue(const Source& source, std::string& error);

}  // namespace wtool::host::workflow
