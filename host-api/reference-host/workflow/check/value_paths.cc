#include "workflow/check/value_paths.h"

#include <algorithm>

namespace wtool::host::workflow {

ValuePaths::ValuePaths(const Workflow& workflow)
    : workflow_(workflow),
      sources_(workflow.states.size()),
      from_anywhere_(workflow.states.size()),
      seen_(workflow.states.size()) {
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    const State& state = workflow.states[i];
    for (const Transition& exit : state.exits) connect(i, exit.target);
    if (state.action) connect(i, workflow.index_of(state.action->options.on_failure.name));
  }
  for (const std::string& name : {workflow.on_failure.name, workflow.finally.name}) {
    const std::size_t state = workflow.index_of(name);
    if (state != no_state) from_anywhere_[state] = true;
  }
}

void ValuePaths::connect(std::size_t from, std::size_t to) {
  if (to != no_state) sources_[to].push_back(from);
}

bool ValuePaths::may_follow(const std::vector<std::size_t>& earlier, std::size_t state, bool after_action) {
  if (workflow_.diagram_unread || state == no_state) return true;
  ++question_;
  bool is_reached = state == workflow_.start;
  std::vector<std::size_t> todo = {state};
  if (after_action) seen_[state] = question_;
  const auto is_earlier = [&](std::size_t one) {
    return std::find(earlier.begin(), earlier.end(), one) != earlier.end();
  };
  if (after_action && is_earlier(state)) return true;
  while (!todo.empty()) {
    const std::size_t at = todo.back();
    todo.pop_back();
    if (from_anywhere_[at]) return true;
    for (const std::size_t source : sources_[at]) {
      if (steps_left_ < earlier.size() + 1) return true;
      steps_left_ -= earlier.size() + 1;
      if (seen_[source] == question_) continue;
      seen_[source] = question_;
      if (is_earlier(source)) return true;
      is_reached = is_reached || source == workflow_.start;
      todo.push_back(source);
    }
  }
  return !is_reached;
}

}  // namespace wtool::host::workflow
