// Runs a checked workflow.
//
//   const Workflow workflow = parse_workflow(source, diagnostics);
//   check_workflow(workflow, given, context, diagnostics);
//   if (!diagnostics.empty()) return diagnostics.text(source);
//   const RunReport report = run_workflow({workflow, source, inputs, toolbox, stop, observer});
//
// - A state's action always runs before its exits are tried. Exits with a condition are tried in the order of the
//   diagram; the exit without a condition (no label, `always`, `default`) is the last resort. After a failure, it is
//   taken only where workflow/check/failure_rule.h allows that.
// - All exits of a fork are taken at the same time, each as a branch of its own, up to the join to which all of them
//   lead. A branch reads the values from before the fork and those that it has set itself. At the join, the values that
//   the branches have set are merged in the order of the diagram. If two branches have set the same name, the value of
//   the later branch is used, and a notice reports it.
// - A failure ends its path as failed if no exit of its state, or of a composite state around it, handles the failure:
//   a run whose last command failed must not be reported as completed.
// - A branch that fails ends the other branches if `fail_fast` is on, or if the failure ends the whole run. The exits
//   of the join may handle any failure that does not end the whole run.
// - A requested stop ends all running calls and then the run, as aborted. `finally` states still run, unless the run is
//   suspended, no time is left, or a stronger stop follows.
#pragma once

#include "runner/run_request.h"

namespace wtool::host::runner {

// Runs the workflow, and blocks until the run has ended.
RunReport run_workflow(RunRequest request);

}  // namespace wtool::host::runner
