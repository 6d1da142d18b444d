#include "runner/variables.h"

#include <algorithm>

namespace wtool::host::runner {

using expressions::Value;

Variables::Variables(const workflow::Workflow& workflow, std::map<std::string, Value> inputs) : workflow_(&workflow) {
  for (auto& [name, value] : inputs) variables_.emplace(name, std::move(value));
  last_.insert_or_assign("workflow_name", Value(workflow.name));
  last_.insert_or_assign("run_id", Value(""));
  set_budget(Value(expressions::Map{}));
  record("", "", Outcome{});
}

const Value* Variables::find(std::string_view name) const {
  for (const auto* values : {&variables_, &last_, &states_}) {
    const auto found = values->find(name);
    if (found != values->end()) return &found->second;
  }
  return nullptr;
}

std::string Variables::why_not(std::string_view name) const {
  const std::string quoted = "'" + std::string(name) + "'";
  if (workflow_->find(std::string(name)) != nullptr) return "the state " + quoted + " has not run yet";
  for (const workflow::Parameter& parameter : workflow_->parameters) {
    if (parameter.name == name) {
      return "the parameter " + quoted + " was not given and has no default; give it with " +
             (parameter.secret ? "--var-file " + std::string(name) + "=FILE" : "--var " + std::string(name) + "=VALUE");
    }
  }
  return "the variable " + quoted + " has no value yet: no state that sets it has run";
}

void Variables::record(const std::string& state, const std::string& result_name, const Outcome& outcome) {
  const Value value = to_value(outcome);
  result_whole_ = outcome.whole_output;
  // Does not copy a name that is already in the map, because this function runs after each step.
  const auto set_last = [this](std::string_view name, Value now) {
    const auto found = last_.find(name);
    (found == last_.end() ? last_.emplace(name, Value()).first : found)->second = std::move(now);
  };
  set_last("success", Value(!outcome.is_error));
  set_last("failure", Value(outcome.is_error));
  set_last("is_error", Value(outcome.is_error));
  set_last("exhausted", Value(outcome.error == exhausted_error));
  set_last("exit_code", Value(outcome.exit_code));
  set_last("output", value.as_withheld() == nullptr ? Value(expressions::to_text(value))
                                                    : Value(expressions::Withheld(*value.as_withheld())));
  set_last("error", Value(outcome.is_error ? outcome.message : std::string()));
  set_last("result", value);
  set_last("last_action_result", value);
  if (!state.empty()) {
    states_.insert_or_assign(state, value);
    if (forked_) set_states_.insert(state);
  }
  if (!result_name.empty() && !workflow::is_run_name(result_name)) set(result_name, value);
}

void Variables::set(const std::string& name, Value value) {
  variables_.insert_or_assign(name, std::move(value));
  if (forked_) set_variables_.insert(name);
}

void Variables::set_run(const std::string& name, const std::string& run) {
  last_.insert_or_assign("workflow_name", Value(name));
  last_.insert_or_assign("run_id", Value(run));
}

void Variables::set_budget(Value value) { last_.insert_or_assign("budget", std::move(value)); }

void Variables::set_local(const std::string& name, Value value) { variables_.insert_or_assign(name, std::move(value)); }

Variables Variables::fork() const {
  Variables copy = *this;
  copy.forked_ = true;
  copy.set_variables_.clear();
  copy.set_states_.clear();
  return copy;
}

void Variables::merge(const Variables& branch, const std::function<void(const std::string& name)>& told) {
  for (const std::string& name : branch.set_variables_) {
    set(name, branch.variables_.find(name)->second);
    told(name);
  }
  for (const std::string& name : branch.set_states_) {
    states_.insert_or_assign(name, branch.states_.find(name)->second);
    if (forked_) set_states_.insert(name);
  }
}

}  // namespace wtool::host::runner
