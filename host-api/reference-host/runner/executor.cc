#include "runner/executor.h"

#include "runner/run.h"
#include "runner/subworkflow.h"
#include "runner/variables.h"

namespace wtool::host::runner {

RunReport run_workflow(RunRequest request) {
  const auto began = std::chrono::steady_clock::now();
  Run run(request);
  for (const workflow::Parameter& parameter : request.workflow.parameters) {
    const auto given = request.inputs.find(parameter.name);
    if (parameter.secret && given != request.inputs.end()) run.hide(expressions::to_text(given->second));
  }
  RunStart start;
  start.run = request.run;
  start.name = request.name;
  start.file = request.source.name();
  start.workflow = &request.workflow;
  start.source = &request.source;
  start.inputs = request.inputs;
  start.resumed = request.past != nullptr;
  request.observer.run_started(start);

  const WorkflowInvocation invocation(run, request.workflow, request.source, nullptr);
  Variables variables(request.workflow, std::move(request.inputs));
  variables.set_run(request.name, request.run);
  BranchResult end = run_invocation(invocation, "", variables, run.stop());

  RunReport report;
  report.status = end.kind == BranchResult::Kind::failed    ? RunReport::Status::failed
                  : end.kind == BranchResult::Kind::aborted ? RunReport::Status::aborted
                                                            : RunReport::Status::completed;
  report.reason = std::move(end.reason);
  report.refused = end.refused;
  if (report.status != RunReport::Status::completed) report.last = std::move(end.last);
  report.steps = run.take_steps();
  report.took = std::chrono::steady_clock::now() - began;
  request.observer.run_ended(report);
  return report;
}

}  // namespace wtool::host::runner
