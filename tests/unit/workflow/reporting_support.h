// What tests of reports need: a workflow made by hand, and an observer fed by hand as a run would.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runner/run_observer.h"

namespace wtool::test {

namespace wf = host::workflow;

inline wf::State made_state(const std::string& id, std::optional<wf::ActionKind> kind = std::nullopt) {
  wf::State state;
  state.id = id;
  if (kind) state.action = wf::Action{std::move(*kind), {}, 0};
  return state;
}

// States: Build (shell), Tell (log), Keep (set), Pass (no action), Deploy (workflow).
inline wf::Workflow made_workflow(const std::string& name = "release") {
  wf::Workflow workflow;
  workflow.name = name;
  workflow.states.push_back(made_state("Build", wf::ShellAction{}));
  workflow.states.push_back(made_state("Tell", wf::LogAction{}));
  workflow.states.push_back(made_state("Keep", wf::SetAction{}));
  workflow.states.push_back(made_state("Pass"));
  workflow.states.push_back(made_state("Deploy", wf::WorkflowAction{}));
  for (std::size_t i = 0; i < workflow.states.size(); ++i) workflow.index[workflow.states[i].id] = i;
  return workflow;
}

// Reports a run to observers, step by step.
class ToldRun {
 public:
  ToldRun(const wf::Workflow& workflow, wf::RunObserver& observer) : workflow_(workflow), observer_(observer) {}

  void start(const std::string& run = "", bool resumed = false) {
    wf::RunStart start;
    start.run = run;
    start.name = workflow_.name;
    start.file = "release.md";
    start.workflow = &workflow_;
    start.source = &source;
    start.inputs = inputs;
    start.resumed = resumed;
    observer_.run_started(start);
  }
  wf::Step enter(const std::string& state, const std::string& branch = "", const wf::Workflow* workflow = nullptr) {
    wf::Step step;
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
  void end(wf::Step& step, wf::StepEnd end = {}, bool transitioned = true) {
    step.status = end.outcome.aborted    ? wf::Step::Status::aborted
                  : end.outcome.is_error ? wf::Step::Status::failed
                                         : wf::Step::Status::succeeded;
    step.exit_code = end.outcome.exit_code;
    step.took = std::chrono::milliseconds(1500);
    end.transitioned = transitioned;
    observer_.state_ended(step, end);
  }
  wf::Step visit(const std::string& state, const std::string& standard_output = "", const std::string& branch = "") {
    wf::Step step = enter(state, branch);
    wf::StepEnd given;
    given.outcome.standard_output = standard_output;
    end(step, given);
    return step;
  }
  void fail(const std::string& state, const std::string& message, const std::string& branch = "") {
    wf::Step step = enter(state, branch);
    wf::StepEnd given;
    given.outcome.is_error = true;
    given.outcome.exit_code = 3;
    given.outcome.message = message;
    given.outcome.standard_output = "some <output> & more\n";
    given.outcome.standard_error = "it \x1b[31mbroke\n";
    given.command = "make \"all\"";
    end(step, given, false);
  }
  void finish(wf::RunReport::Status status = wf::RunReport::Status::completed, const std::string& reason = "") {
    wf::RunReport report;
    report.status = status;
    report.reason = reason;
    report.took = std::chrono::milliseconds(2500);
    observer_.run_ended(report);
  }

  wf::Source source{"release.md", "# Release\n"};
  std::map<std::string, host::expressions::Value> inputs;
  std::map<std::string, std::uint64_t> sequence;  // by branch: that of the last step
  bool replaying = false;

 private:
  const wf::Workflow& workflow_;
  wf::RunObserver& observer_;
  std::uint64_t number_ = 0;
};

}  // namespace wtool::test
