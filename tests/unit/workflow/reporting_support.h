// What tests of reports need: a workflow that is built in code, and functions that report to observers what a run would
// report.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/run_observer.h"

namespace wtool::test {

inline host::workflow::State made_state(const std::string& id,
                                        std::optional<host::workflow::ActionKind> kind = std::nullopt) {
  host::workflow::State state;
  state.id = id;
  if (kind) state.action = host::workflow::Action{std::move(*kind), {}, 0};
  return state;
}

// States: Build (shell), Tell (log), Keep (set), Pass (no action), Deploy (workflow).
inline host::workflow::Workflow made_workflow(const std::string& name = "release") {
  host::workflow::Workflow workflow;
  workflow.name = name;
  workflow.states.push_back(made_state("Build", host::workflow::ShellAction{}));
  workflow.states.push_back(made_state("Tell", host::workflow::LogAction{}));
  workflow.states.push_back(made_state("Keep", host::workflow::SetAction{}));
  workflow.states.push_back(made_state("Pass"));
  workflow.states.push_back(made_state("Deploy", host::workflow::WorkflowAction{}));
  for (std::size_t i = 0; i < workflow.states.size(); ++i) workflow.index[workflow.states[i].id] = i;
  return workflow;
}

// Reports a run to observers, step by step.
class ToldRun {
 public:
  ToldRun(const host::workflow::Workflow& workflow, host::runner::RunObserver& observer)
      : workflow_(workflow), observer_(observer) {}

  void start(const std::string& run = "", bool resumed = false) {
    host::runner::RunStart start;
    start.run = run;
    start.name = workflow_.name;
    start.file = "release.md";
    start.workflow = &workflow_;
    start.source = &source;
    start.inputs = inputs;
    start.resumed = resumed;
    observer_.run_started(start);
  }
  host::runner::Step enter(const std::string& state, const std::string& branch = "",
                           const host::workflow::Workflow* workflow = nullptr) {
    host::runner::Step step;
    step.number = ++number_;
    step.workflow = workflow != nullptr ? workflow : &workflow_;
    step.state = step.workflow->index.at(state);
    step.branch = branch;
    step.sequence = ++sequence[branch];
    step.began = std::chrono::steady_clock::now();
    step.replayed = replaying;
    observer_.state_entered(step);
    return step;
  }
  void end(host::runner::Step& step, host::runner::StepEnd end = {}, bool transitioned = true) {
    step.status = end.outcome.aborted    ? host::runner::Step::Status::aborted
                  : end.outcome.is_error ? host::runner::Step::Status::failed
                                         : host::runner::Step::Status::succeeded;
    step.exit_code = end.outcome.exit_code;
    step.took = std::chrono::milliseconds(1500);
    end.transitioned = transitioned;
    observer_.state_ended(step, end);
  }
  host::runner::Step visit(const std::string& state, const std::string& standard_output = "",
                           const std::string& branch = "") {
    host::runner::Step step = enter(state, branch);
    host::runner::StepEnd given;
    given.outcome.standard_output = standard_output;
    end(step, given);
    return step;
  }
  void fail(const std::string& state, const std::string& message, const std::string& branch = "") {
    host::runner::Step step = enter(state, branch);
    host::runner::StepEnd given;
    given.outcome.is_error = true;
    given.outcome.exit_code = 3;
    given.outcome.message = message;
    given.outcome.standard_output = "some <output> & more\n";
    given.outcome.standard_error = "it \x1b[31mbroke\n";
    given.command = "make \"all\"";
    end(step, given, false);
  }
  void finish(host::runner::RunReport::Status status = host::runner::RunReport::Status::completed,
              const std::string& reason = "") {
    host::runner::RunReport report;
    report.status = status;
    report.reason = reason;
    report.took = std::chrono::milliseconds(2500);
    observer_.run_ended(report);
  }

  host::workflow::Source source{"release.md", "# Release\n"};
  std::map<std::string, host::expressions::Value> inputs;
  std::map<std::string, std::uint64_t> sequence;  // by branch: the number of its last step
  bool replaying = false;

 private:
  const host::workflow::Workflow& workflow_;
  host::runner::RunObserver& observer_;
  std::uint64_t number_ = 0;
};

}  // namespace wtool::test
