// Runs a checked workflow.
//
//   const Workflow workflow = parse_workflow(source, diagnostics);
//   check_workflow(workflow, given, context, diagnostics);
//   if (!diagnostics.empty()) return diagnostics.text(source);
//   const RunReport report = run_workflow({workflow, source, inputs, toolbox, stop, observer});
//
// - A state's action always runs before its exits are judged. Exits with a condition are tried in the order of the
//   diagram; the one that is always open (no label, always, default) is the last resort, after success and failure
//   alike.
// - All exits of a fork are taken at the same time, each as a branch of its own, up to the join that all of them lead
//   to. A branch reads the values of before the fork and its own; what branches have set is put together at the join,
//   in the order of the diagram: where two have set the same name, the later one wins, and it is said.
// - A state whose action failed and that has no open exit ends its path as failed; so does a failed state whose only
//   exit leads to the end without a condition: a run is not completed because its last command failed quietly.
// - A branch that fails ends the others, unless `fail_fast` is off. Where the join judges (an exit with a condition), the
//   join decides what comes then; else the run has failed.
// - A stop that is requested ends all running calls and then the run, as aborted. `finally` states still run.
#pragma once

#include "base/stop.h"
#include "runner/run_request.h"

namespace wtool::host::runner {

// Blocks until the run is over.
RunReport run_workflow(RunRequest request);

}  // namespace wtool::host::runner
