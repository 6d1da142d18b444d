#include "workflow/check/fork_branches.h"

#include <utility>

namespace wtool::host::workflow {

BranchEdges::BranchEdges(const Workflow& workflow)
    : workflow_(workflow), after_success_(workflow), all_(workflow.states.size()) {
  const auto is_hidden = [&](std::size_t target) { return target != no_state && workflow.states[target].hidden; };
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    const State& state = workflow.states[i];
    if (ends_run(state)) continue;
    for (const Transition& exit : state.exits) {
      if (!is_hidden(exit.target)) all_[i].push_back(exit.target);
    }
    if (all_[i].size() < state.exits.size()) {
      for (const std::size_t target : after_success_.targets(state, state)) {
        if (is_hidden(target)) all_[i].push_back(target);
      }
    }
    if (state.action && !state.action->options.on_failure.name.empty()) {
      all_[i].push_back(workflow.index_of(state.action->options.on_failure.name));
    }
  }
}

ForkBranches::ForkBranches(const BranchEdges& edges, const State& fork, const std::vector<std::size_t>& ends,
                           Follow follow)
    : branch_(edges.workflow().states.size(), none) {
  const std::vector<State>& states = edges.workflow().states;
  std::vector<bool> is_end(states.size());
  for (const std::size_t end : ends) {
    if (end != no_state) is_end[end] = true;
  }
  // `done`: the last state before `state` that has an action, or `state` itself.
  struct Walked {
    std::size_t state;
    std::size_t done;
  };
  std::vector<Walked> todo;
  for (std::size_t i = 0; i < fork.exits.size(); ++i) {
    const auto reach = [&](std::size_t state, std::size_t done) {
      if (state == no_state || &states[state] == &fork) return;
      if (branch_[state] == i || branch_[state] == several) return;
      if (branch_[state] == none) reached_.push_back(state);
      branch_[state] = branch_[state] == none ? i : several;
      if (!is_end[state] && !ends_run(states[state])) todo.push_back({state, states[state].action ? state : done});
    };
    reach(fork.exits[i].target, fork.exits[i].target);
    while (!todo.empty()) {
      const Walked at = todo.back();
      todo.pop_back();
      if (follow == Follow::all) {
        for (const std::size_t next : edges.all(at.state)) reach(next, at.done);
      } else {
        for (const std::size_t next : edges.after_success().targets(states[at.state], states[at.done])) {
          reach(next, at.done);
        }
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
