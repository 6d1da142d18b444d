#include "runner/executor.h"

#include <memory>
#include <optional>
#include <utility>

#include "runner/branch.h"
#include "runner/budget.h"
#include "runner/named_lock.h"
#include "runner/run.h"
#include "runner/run_part.h"
#include "runner/services.h"
#include "runner/steps.h"
#include "runner/variables.h"

namespace wtool::host::runner {

std::unique_ptr<NamedLock> take_turn(const WorkflowInvocation& invocation, const std::string& step, Stop& stop,
                                     BranchResult& end) {
  const std::string& name = invocation.workflow.concurrency.name;
  if (name.empty()) return nullptr;
  for (const WorkflowInvocation* at = invocation.parent; at != nullptr; at = at->parent) {
    if (at->workflow.concurrency.name == name) return nullptr;
  }
  std::string error;
  const std::string what = invocation.source.name();
  auto held = std::make_unique<NamedLock>(
      NamedLock::Kind::run, name, LockHolder{&invocation.run, invocation.run.request().run, step, what}, stop,
      [&](const std::string& sentence) { invocation.run.observer().noticed(what + " " + sentence); }, error);
  if (held->held()) return held;
  end.kind = error.empty() ? BranchResult::Kind::aborted : BranchResult::Kind::failed;
  const auto request = stop.requested();
  end.reason = error.empty() && request ? request->reason : error;
  end.fatal = !error.empty();
  return nullptr;
}

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
  start.settings = request.settings;
  request.observer.run_started(start);

  const WorkflowInvocation invocation(run, request.workflow, request.source, nullptr);
  Variables variables(request.workflow, std::move(request.inputs));
  variables.set_run(request.name, request.run);
  variables.set_only(request.settings.part.only);
  BranchResult end;
  const auto turn = take_turn(invocation, "", run.stop(), end);
  if (end.kind == BranchResult::Kind::ended) end = run_invocation(invocation, "", variables, run.stop());

  RunReport report;
  report.status = end.suspended                             ? RunReport::Status::suspended
                  : end.kind == BranchResult::Kind::failed  ? RunReport::Status::failed
                  : end.kind == BranchResult::Kind::aborted ? RunReport::Status::aborted
                                                            : RunReport::Status::completed;
  report.reason = std::move(end.reason);
  report.refused = end.refused;
  if (report.status != RunReport::Status::completed) report.last = std::move(end.last);
  const std::string& until = request.settings.part.until;
  if (report.status == RunReport::Status::completed && !until.empty() && !run.came_to_until()) {
    report.status = RunReport::Status::failed;
    report.missed_until = true;
    report.reason = missed_until(until);
  }
  report.steps = run.take_steps();
  report.took = std::chrono::steady_clock::now() - began;
  request.observer.run_ended(report);
  return report;
}

namespace {

using workflow::no_state;

// The stop for the `finally` states. They run even if the run has already been stopped. In that case, only a stronger
// request ends them.
class FinallyStop {
 public:
  explicit FinallyStop(Stop& parent) : before_(parent.requested()) {
    subscription_ = parent.subscribe([this](const StopRequest& request) {
      if (!before_ || request.how != before_->how) own_.request(request.how, request.reason);
    });
  }
  FinallyStop(const FinallyStop&) = delete;
  FinallyStop& operator=(const FinallyStop&) = delete;

  Stop& stop() { return own_; }

 private:
  const std::optional<StopRequest> before_;
  Stop own_;
  Stop::Subscription subscription_;  // destroyed first, because its callback uses the members above
};

}  // namespace

BranchResult run_invocation(const WorkflowInvocation& invocation, const std::string& branch, Variables& variables,
                            Stop& stop) {
  count_earlier_usage(invocation, branch);
  ServicesOf services(invocation, stop);
  BranchResult end = Branch(invocation, branch, variables, services.stop()).go(invocation.workflow.start);
  services.judge(end);
  const std::size_t handler = invocation.workflow.index_of(invocation.workflow.on_failure.name);
  // The states of `on failure` and `finally` have their own limit of steps, so they run even if the limit has ended the
  // run.
  invocation.entered = 0;
  if (end.kind == BranchResult::Kind::failed && handler != no_state) {
    // The handler does not repair the run, which stays failed for its first reason.
    const BranchResult handled = Branch(invocation, branch + on_failure_branch, variables, stop).go(handler);
    if (handled.kind == BranchResult::Kind::aborted) end = handled;
  }
  if (invocation.finally == no_state || invocation.finally_entered || end.suspended) return end;
  const auto& skips_finally = invocation.run.request().services.skips_finally;
  if (end.kind == BranchResult::Kind::aborted && skips_finally && skips_finally()) return end;
  invocation.entered = 0;
  invocation.completed = end.kind == BranchResult::Kind::ended;
  FinallyStop late(stop);
  // What `finally` sets stays, but the outcome of its last action does not become the result of the workflow.
  Variables own = variables.fork();
  BranchResult last = Branch(invocation, branch + finally_branch, own, late.stop()).go(invocation.finally);
  variables.merge(own, [](const std::string& /*name*/) {});
  if (end.kind == BranchResult::Kind::ended && last.kind != BranchResult::Kind::ended) {
    last.reason = "the workflow completed, but its `finally` states did not: " + last.reason;
    return last;
  }
  return end;
}

}  // namespace wtool::host::runner
