#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "runner/actions.h"
#include "runner/named_lock.h"
#include "runner/past_run.h"
#include "runner/run.h"
#include "runner/secrets.h"
#include "runner/steps.h"
#include "runner/variables.h"
#include "workflow/check/checker.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/parameters.h"

namespace wtool::host::runner {

namespace {

using workflow::Parameter;
using workflow::Workflow;

std::string title_of(const WorkflowInvocation& invocation) {
  return invocation.workflow.name.empty() ? invocation.source.name() : invocation.workflow.name;
}

// "a, which runs b, which runs a"; empty: `workflow` is not being run.
std::string cycle(const WorkflowInvocation& invocation, const Workflow& workflow) {
  std::string chain;
  for (const WorkflowInvocation* at = &invocation; at != nullptr; at = at->parent) {
    chain = title_of(*at) + (chain.empty() ? "" : ", which runs " + chain);
    if (&at->workflow == &workflow) return chain + ", which runs " + title_of(*at);
  }
  return "";
}

struct CalledWorkflow {
  OtherWorkflow other;
  std::map<std::string, expressions::Value> inputs;
};

// The workflow `name`, and its inputs if it is run with `arguments`; from then on, its secret inputs are hidden. Nothing:
// it cannot be run, for the reason `mistake`.
std::optional<CalledWorkflow> called_workflow(const WorkflowInvocation& invocation, const std::string& name,
                                              const std::map<std::string, expressions::Value>& arguments,
                                              std::string& mistake) {
  const RunServices& services = invocation.run.request().services;
  if (!services.workflow) {
    mistake = "other workflows cannot be run here";
    return std::nullopt;
  }
  const std::optional<OtherWorkflow> other = services.workflow(name, invocation.source.name(), mistake);
  if (!other) return std::nullopt;
  if (const std::string chain = cycle(invocation, *other->workflow); !chain.empty()) {
    mistake = "the workflows run each other endlessly: " + chain;
    return std::nullopt;
  }
  if (invocation.depth + 1 >= max_workflows_depth) {
    mistake = "more than " + std::to_string(max_workflows_depth) + " workflows are nested in one another";
    return std::nullopt;
  }
  std::vector<std::string> errors;
  auto inputs = workflow::resolve_arguments(*other->workflow, arguments, names_read(*other->workflow), errors);
  if (!errors.empty()) {
    mistake = "the workflow " + expressions::quoted_for_message(name) +
              " cannot be run with these arguments: " + errors.front();
    return std::nullopt;
  }
  workflow::Diagnostics needed;
  check_values(*other->workflow, inputs, "", needed);
  if (!needed.empty()) {
    mistake = "the workflow " + expressions::quoted_for_message(name) +
              " cannot be run with these arguments: " + std::string(trimmed(needed.text(*other->source), "\n"));
    return std::nullopt;
  }
  for (const Parameter& parameter : other->workflow->parameters) {
    const auto found = inputs.find(parameter.name);
    if (parameter.secret && found != inputs.end()) invocation.run.hide(expressions::to_text(found->second));
  }
  return CalledWorkflow{*other, std::move(inputs)};
}

// Reports which workflow the step runs, with which inputs. Of an outcome, only the text is reported: its fields, such as
// the time that a step took, do not count as a change.
void report_call(const Step& step, Run& run, const std::string& name, const CalledWorkflow& called) {
  RunStart start;
  start.name = name;
  start.workflow = called.other.workflow;
  // A secret step always runs again, so nothing is compared.
  for (const auto& [input, value] : called.inputs) {
    if (gives_secrets(step)) break;
    const std::string* const text = value.as_text();
    start.inputs.emplace(input, text == nullptr ? value : expressions::Value(*text));
  }
  run.observer().workflow_begun(step, start);
}

}  // namespace

std::string changed_call(const WorkflowInvocation& invocation, const workflow::State& state, const StepPlace& place,
                         const expressions::Scope& values) {
  const PastCall* const then = invocation.run.request().past->call_at(place);
  if (then == nullptr || then->state != state.id || state.action->options.secret || invocation.secret) return "";
  const auto& action = std::get<workflow::WorkflowAction>(state.action->kind);
  std::string mistake;
  const auto name = rendered_text(action.workflow, invocation, values, mistake);
  const auto arguments = rendered_arguments(action.arguments, invocation, values, mistake);
  if (!name || !arguments) return "";
  if (*name != then->workflow) {
    return "'" + state.id + "' now runs the workflow " + expressions::quoted_for_message(*name) + ", and not " +
           expressions::quoted_for_message(then->workflow) + " as in the run that is resumed";
  }
  const auto called = called_workflow(invocation, *name, *arguments, mistake);
  if (!called) return "";
  const std::set<std::string> changed = then->inputs.changed(*called->other.workflow, called->inputs);
  if (changed.empty()) return "";
  return "the parameter '" + *changed.begin() + "' of the workflow that '" + state.id +
         "' runs has another value than in the run that is resumed";
}

SubworkflowResult run_subworkflow(const Step& step, const WorkflowInvocation& invocation, const std::string& name,
                                  const std::map<std::string, expressions::Value>& arguments, Stop& stop) {
  SubworkflowResult made;
  auto called = called_workflow(invocation, name, arguments, made.mistake);
  if (!called) return made;
  report_call(step, invocation.run, name, *called);

  const OtherWorkflow& other = called->other;
  const WorkflowInvocation inner(invocation.run, *other.workflow, *other.source, &invocation,
                                 workflow::place_of(invocation.workflow, step.state, invocation.place),
                                 gives_secrets(step));
  Variables variables(*other.workflow, called->inputs);
  const std::string branch = branch_inside(step.place(), name);
  BranchResult end;
  const auto turn = take_turn(inner, place_name(step.place()), stop, end);
  if (end.kind == BranchResult::Kind::ended) end = run_invocation(inner, branch, variables, stop);
  made.abort = end.by_action;
  made.fatal = end.fatal;
  made.refused = end.refused;
  if (end.last) made.outcome = end.last->outcome;
  if (!end.refused && is_refusal(made.outcome)) made.outcome.error.clear();
  made.outcome.aborted = end.kind == BranchResult::Kind::aborted;
  made.outcome.is_error = end.kind != BranchResult::Kind::ended;
  if (made.outcome.is_error) {
    if (made.outcome.exit_code == 0) made.outcome.exit_code = made.outcome.aborted ? 130 : 1;
    made.outcome.message = end.reason;
  } else {
    const expressions::Value* result = variables.find("result");
    made.outcome = Outcome{};
    made.outcome.standard_output = expressions::to_text(*result);
    const WholeOutput* whole = variables.result_whole();
    if (whole != nullptr && (whole->cut || whole->lossy)) made.outcome.whole_output = *whole;
    made.outcome.message = "Workflow completed";
  }
  expressions::Map map;
  for (const auto& [variable, value] : variables.variables()) {
    // The outputs of a step within are hidden already, and the other fields of its outcome are no secrets.
    const bool is_outcome = value.as_map() != nullptr && value.as_text() != nullptr;
    if (gives_secrets(step) && !called->inputs.contains(variable) && !is_outcome) {
      invocation.run.hide(value, Secrets::shortest_part);
    }
    map.fields.emplace(variable, value);
  }
  made.outcome.variables = expressions::Value(std::move(map));
  return made;
}

}  // namespace wtool::host::runner
