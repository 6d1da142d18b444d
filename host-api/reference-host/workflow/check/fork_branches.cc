#include "workflow/check/fork_branches.h"

#include <utility>
#include <variant>

namespace wtool::host::workflow {

namespace {

// The states that may come next. `done`: the last state before `state` that has an action, or `state` itself.
std::vector<std::size_t> next_of(const Workflow& workflow, const AfterSuccess& after_success, const State& state,
                                 const State& done, ForkBranches::Follow follow) {
  if (state.action && std::holds_alternative<AbortAction>(state.action->kind)) return {};
  if (follow == ForkBranches::Follow::after_success) return after_success.targets(state, done);
  const auto is_hidden = [&](std::size_t target) { return target != no_state && workflow.states[target].hidden; };
  std::vector<std::size_t> next;
  for (const Transition& exit : state.exits) {
    if (!is_hidden(exit.target)) next.push_back(exit.target);
  }
  if (next.size() < state.exits.size()) {
    for (const std::size_t target : after_success.targets(state, done)) {
      if (is_hidden(target)) next.push_back(target);
    }
  }
  if (state.action) next.push_back(workflow.index_of(state.action->options.on_failure.name));
  return next;
}

}  // namespace

ForkBranches::ForkBranches(const Workflow& workflow, const AfterSuccess& after_success, const State& fork,
                           const std::vector<std::size_t>& ends, Follow follow)
    : branch_(workflow.states.size(), none) {
  std::vector<bool> is_end(workflow.states.size());
  for (const std::size_t end : ends) {
    if (end != no_state) is_end[end] = true;
  }
  struct Walked {
    std::size_t state;
    std::size_t done;
  };
  for (std::size_t i = 0; i < fork.exits.size(); ++i) {
    std::vector<Walked> todo;
    const auto reach = [&](std::size_t state, std::size_t done) {
      if (state == no_state || &workflow.states[state] == &fork) return;
      if (branch_[state] == i || branch_[state] == several) return;
      if (branch_[state] == none) reached_.push_back(state);
      branch_[state] = branch_[state] == none ? i : several;
      if (!is_end[state]) todo.push_back({state, workflow.states[state].action ? state : done});
    };
    reach(fork.exits[i].target, fork.exits[i].target);
    while (!todo.empty()) {
      const Walked at = todo.back();
      todo.pop_back();
      for (const std::size_t next :
           next_of(workflow, after_success, workflow.states[at.state], workflow.states[at.done], follow)) {
        reach(next, at.done);
      }
    }
  }
}

std::size_t ForkBranches::count(std::size_t state) const {
  return branch_[state] == none ? 0 : branch_[state] == several ? 2 : 1;
}

std::pair<std::size_t, std::size_t> ForkBranches::parallel_pair(const std::vector<std::size_t>& states) const {
  std::size_t first = no_state;
  for (const std::size_t state : states) {
    if (count(state) != 1) continue;
    if (first == no_state) first = state;
    if (branch_[state] != branch_[first]) return {first, state};
  }
  return {no_state, no_state};
}

}  // namespace wtool::host::workflow
