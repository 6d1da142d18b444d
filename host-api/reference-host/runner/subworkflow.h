// Runs a workflow from its start to its end: the root of a run, or one that an action runs.
#pragma once

#include <map>
#include <string>

#include "runner/outcome.h"
#include "runner/run.h"
#include "runner/variables.h"

namespace wtool::host::runner {

// Runs the invocation's workflow from start to end, with its `on failure` and `finally`. `branch` is the name of its
// main path.
BranchResult run_invocation(const WorkflowInvocation& invocation, const std::string& branch, Variables& variables,
                            Stop& stop);

struct SubworkflowResult {
  Outcome outcome;
  bool abort = false;    // an Abort of it ends the whole run
  bool fatal = false;    // it has ended by a refusal, a mistake or a limit
  bool refused = false;  // by a refusal
  std::string mistake;   // why it could not be run at all
};

// `step` is the one that runs it, in the workflow of `frame`.
SubworkflowResult run_subworkflow(const Step& step, const WorkflowInvocation& invocation, const std::string& name,
                                  const std::map<std::string, expressions::Value>& arguments, Stop& stop);

}  // namespace wtool::host::runner
