#include "workflow/check/checker.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "workflow/check/failure_rule.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/edges.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {
namespace {

using Names = std::set<std::string, std::less<>>;

// Takes the names that the state sets out of `names`.
void forget_assigned(const State& state, Names& names) {
  names.erase(state.id);
  if (!state.action) return;
  names.erase(state.action->options.result.name);
  if (const auto* set = std::get_if<SetAction>(&state.action->kind)) {
    for (const Assignment& assignment : set->assignments) names.erase(assignment.name);
  }
  if (const auto* service = std::get_if<ServiceAction>(&state.action->kind)) names.erase(service->free_port.name);
}

// For each state, whether a run may come to it.
StateMarks reached_states(const Workflow& workflow) {
  return reached_from(
      {workflow.start, workflow.index_of(workflow.finally.name), workflow.index_of(workflow.on_failure.name)},
      edges_of(workflow));
}

// For each state, whether a run that lacks a value there is sure to fail: the state is on a path without a choice from
// the start, and nothing handles its failure.
std::vector<bool> doomed_states(const Workflow& workflow) {
  std::vector<bool> doomed(workflow.states.size());
  if (!workflow.on_failure.name.empty()) return doomed;
  for (std::size_t at = workflow.start; at != no_state && !doomed[at];) {
    const State& state = workflow.states[at];
    const auto has_condition = [](const Transition& exit) {
      return exit.kind == Transition::Kind::expression || exit.kind == Transition::Kind::failure;
    };
    if (state.exits.size() > 1 || std::any_of(state.exits.begin(), state.exits.end(), has_condition)) break;
    // A matrix may have no combination, and then its action is not done.
    if (state.action && (state.action->options.matrix != nullptr || !state.action->options.on_failure.name.empty()))
      break;
    doomed[at] = true;
    // An agent may set names, or end the workflow, and nothing comes after an Abort.
    if (state.action && (std::holds_alternative<PromptAction>(state.action->kind) ||
                         std::holds_alternative<AbortAction>(state.action->kind))) {
      break;
    }
    at = state.exits.empty() ? no_state : state.exits.front().target;
  }
  return doomed;
}

}  // namespace

std::vector<NameRead> needed_values(const Workflow& workflow, Names names, const std::vector<NameRead>& uses) {
  std::set<std::pair<std::size_t, std::string>> tested;
  for (const NameRead& use : uses) {
    if (!use.may_be_missing) continue;
    tested.emplace(use.state, use.name);
    // The exits of a state may lead to the states that read the parameter only if it has a value.
    if (!use.in_action) names.erase(use.name);
  }
  for (const State& state : workflow.states) forget_assigned(state, names);
  for (const std::string& name : workflow.ambiguous_names) names.erase(name);
  std::vector<NameRead> needed;
  for (const NameRead& use : uses) {
    if (names.contains(use.name) && !use.may_be_missing && !tested.contains({use.state, use.name})) {
      needed.push_back(use);
    }
  }
  return needed;
}

void check_values(const Workflow& workflow, const std::map<std::string, expressions::Value>& inputs,
                  const std::string& option, Diagnostics& diagnostics) {
  if (workflow.names_unread) return;
  Names names;
  Names secrets;
  for (const Parameter& parameter : workflow.parameters) {
    // A condition says when the value is needed, and resolve_inputs() has checked it.
    if (inputs.contains(parameter.name) || parameter.condition) continue;
    names.insert(parameter.name);
    if (parameter.secret) secrets.insert(parameter.name);
  }
  if (names.empty()) return;
  const std::vector<NameRead> needed = needed_values(workflow, names, name_uses(workflow, nullptr));
  const StateMarks reached = reached_states(workflow);
  const std::vector<bool> doomed = doomed_states(workflow);
  const auto is_certain = [&](const NameRead& use) { return use.in_action && !use.after_tag && doomed[use.state]; };
  const auto tell = [&](const NameRead& use) {
    const std::string how = option.empty() ? ""
                                           : " with " + (secrets.contains(use.name) ? "--var-file " + use.name + "=FILE"
                                                                                    : option + use.name + "=VALUE");
    std::string message = "the state '" + shown_name(workflow, use.state) + "' reads the parameter '" + use.name +
                          "', which has no value in this run, so ";
    message += is_certain(use) ? "the run would fail there" : "the run fails if it comes to this place";
    message += "; give the parameter a value" + how + ", or give it a `default` in the front matter";
    if (is_certain(use)) {
      diagnostics.add(use.offset, std::move(message));
    } else {
      diagnostics.warn(use.offset, std::move(message));
    }
  };
  // One place of each parameter is enough, and a certain one says more.
  for (const std::string& name : names) {
    const auto reads = [&](const NameRead& use) { return use.name == name && reached[use.state]; };
    auto found =
        std::find_if(needed.begin(), needed.end(), [&](const NameRead& use) { return reads(use) && is_certain(use); });
    if (found == needed.end()) found = std::find_if(needed.begin(), needed.end(), reads);
    if (found != needed.end()) tell(*found);
  }
}

}  // namespace wtool::host::workflow
