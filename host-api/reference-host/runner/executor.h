// Runs a checked workflow.
//
// - A state's action always runs before its exits are judged. Exits with a condition are tried in the order of the
//   diagram; the one that is always open (no label, always, default) is the last resort, after success and failure
//   alike.
// - A state whose action failed and that has no open exit ends the run as failed; so does a failed state whose only
// exit
//   leads to the end without a condition: a run is not completed because its last command failed quietly.
// - A stop that is requested ends the running call and then the run, as aborted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "loader/stop.h"
#include "loader/tool_caller.h"
#include "runner/run_observer.h"
#include "workflow/model.h"
#include "workflow/source.h"

namespace wtool::host::workflow {

// States that a run enters at most, unless `max_steps` says otherwise; never fewer than the diagram has.
inline constexpr std::int64_t default_max_steps = 10'000;

// All references must outlive the call.
struct RunRequest {
  const Workflow& workflow;
  const Source& source;
  std::map<std::string, expressions::Value> inputs;
  ToolCaller& tools;
  Stop& stop;
  RunObserver& observer;
};

// Blocks until the run is over.
RunReport run_workflow(RunRequest request);

}  // namespace wtool::host::workflow
