// Runs a checked workflow.
//
//   const Workflow workflow = parse_workflow(source, diagnostics);
//   check_workflow(workflow, given, context, diagnostics);
//   if (!diagnostics.empty()) return diagnostics.text(source);
//   const RunReport report = run_workflow({workflow, source, inputs, toolbox, stop, observer});
//
// - A state's action always runs before its exits are judged. Exits with a condition are tried in the order of the
//   diagram; the exit that is always open (no label, `always`, `default`) is the last resort.
// - All exits of a fork are taken at the same time, each as a branch of its own, up to the join to which all of them
//   lead. A branch reads the values from before the fork and those that it has set itself. At the join, the values that
//   the branches have set are merged in the order of the diagram. If two branches have set the same name, the value of
//   the later branch is used, and a notice reports it.
// - A state whose action failed and that has no open exit ends its path as failed. So does a failed state whose only
//   exit leads to the end without a condition: a run whose last command failed must not count as completed.
// - A branch that fails ends the other branches, unless `fail_fast` is off. If the join has an exit with a condition,
//   the join decides what comes next. Otherwise the run has failed.
// - A requested stop ends all running calls and then the run, as aborted. `finally` states still run.
#pragma once

#include "runner/run_request.h"

namespace wtool::host::runner {

// Blocks until the run is over.
RunReport run_workflow(RunRequest request);

}  // namespace wtool::host::runner
