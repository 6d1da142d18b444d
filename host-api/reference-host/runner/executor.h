// Runs a checked workflow.
//
//   const Workflow workflow = parse_workflow(source, diagnostics);
//   check_workflow(workflow, given, context, diagnostics);
//   if (!diagnostics.empty()) return diagnostics.text(source);
//   const RunReport report = run_workflow({workflow, source, inputs, toolbox, stop, observer});
//
// - A state's action always runs before its exits are judged. Exits with a condition are tried in the order of the
//   diagram; the one that is always open (no label, always, default) is the last resort.
// - All exits of a fork are taken at the same time, each as a branch of its own, up to the join to which all of them
//   lead. A branch reads the values from before the fork and its own. At the join, what branches have set is merged in
//   the order of the diagram; if two have set the same name, the later one wins, with a notice.
// - A state whose action failed and that has no open exit ends its path as failed; so does a failed state whose only
//   exit leads to the end without a condition: a run must not be completed although its last command failed.
// - A branch that fails ends the others, unless `fail_fast` is off. If the join judges (has an exit with a condition),
//   the join decides what comes next; otherwise the run has failed.
// - A requested stop ends all running calls and then the run, as aborted. `finally` states still run.
#pragma once

#include "base/stop.h"
#include "runner/run_request.h"

namespace wtool::host::runner {

// Blocks until the run is over.
RunReport run_workflow(RunRequest request);

}  // namespace wtool::host::runner
