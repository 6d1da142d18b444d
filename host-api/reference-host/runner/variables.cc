#include "runner/variables.h"

#include <utility>

namespace wtool::host::runner {

using expressions::Value;

Variables::Variables(const workflow::Workflow& workflow, const std::map<std::string, Value>& inputs)
    : workflow_(&workflow), variables_(inputs.begin(), inputs.end()) {
  last_.insert_or_assign("workflow_name", Value(workflow.name));
  last_.insert_or_assign("run_id", Value(""));
  set_budget(Value(expressions::Map{}));
  record("", "", Outcome{});
}

const Value* Variables::find(std::string_view name) const {
  if (const auto found = variables_.find(name); found != variables_.end()) return &found->second;
  if (new_last_ && workflow::is_run_name(name)) set_last_names();
  if (const auto found = last_.find(name); found != last_.end()) return &found->second;
  const auto found = states_.find(name);
  return found == states_.end() ? nullptr : &found->second.get();
}

std::string Variables::why_not(std::string_view name) const {
  const std::string quoted = "'" + std::string(name) + "'";
  const std::string of_other_states = only_.empty() ? ""
                                                    : "; --only " + only_ + " runs no other state: --until " + only_ +
                                                          " runs those before it, and --from " + only_ + " --until " +
                                                          only_ + " takes their values from the last run";
  if (workflow_->find(std::string(name)) != nullptr)
    return "the state " + quoted + " has not run yet" + of_other_states;
  for (const workflow::Parameter& parameter : workflow_->parameters) {
    if (parameter.name == name) {
      return "the parameter " + quoted + " was not given and has no default; give it a value, or a `default` in the " +
             "front matter";
    }
  }
  return "the variable " + quoted + " has no value yet: no state that sets it has run" + of_other_states;
}

void Variables::record(const std::string& state, const std::string& result_name, const Outcome& outcome) {
  const OutcomeValue value(outcome);
  result_whole_ = outcome.whole_output;
  new_last_ = Last{.value = value,
                   .is_error = outcome.is_error,
                   .exhausted = outcome.error == exhausted_error,
                   .exit_code = outcome.exit_code,
                   .error = outcome.is_error ? outcome.message : std::string()};
  if (!state.empty()) {
    states_.insert_or_assign(state, value);
    if (forked_) set_states_.insert(state);
  }
  if (!result_name.empty() && !workflow::is_run_name(result_name)) set(result_name, value.get());
}

void Variables::set_last_names() const {
  const Last last = *std::exchange(new_last_, std::nullopt);
  const Value& value = last.value.get();
  last_.insert_or_assign("success", Value(!last.is_error));
  last_.insert_or_assign("failure", Value(last.is_error));
  last_.insert_or_assign("is_error", Value(last.is_error));
  last_.insert_or_assign("exhausted", Value(last.exhausted));
  last_.insert_or_assign("exit_code", Value(last.exit_code));
  last_.insert_or_assign("output", value.as_withheld() == nullptr ? Value(expressions::to_text(value))
                                                                  : Value(expressions::Withheld(*value.as_withheld())));
  last_.insert_or_assign("error", Value(last.error));
  last_.insert_or_assign("result", value);
  last_.insert_or_assign("last_action_result", value);
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
