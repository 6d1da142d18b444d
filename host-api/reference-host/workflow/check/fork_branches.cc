#include "workflow/check/fork_branches.h"

#include <set>
#include <utility>

#include "workflow/check/failure_rule.h"

namespace wtool::host::workflow {

ForkBranches::ForkBranches(const Workflow& workflow, const State& fork, const std::vector<std::size_t>& ends,
                           Follow follow)
    : branch_(workflow.states.size(), none) {
  std::vector<bool> is_end(workflow.states.size());
  for (const std::size_t end : ends) {
    if (end != no_state) is_end[end] = true;
  }
  std::set<std::size_t> begun;
  for (std::size_t i = 0; i < fork.exits.size(); ++i) {
    if (follow == Follow::after_success && !begun.insert(fork.exits[i].target).second) continue;
    std::vector<std::size_t> todo;
    const auto reach = [&](std::size_t state) {
      if (state == no_state || &workflow.states[state] == &fork) return;
      if (branch_[state] == i || branch_[state] == several) return;
      if (branch_[state] == none) reached_.push_back(state);
      branch_[state] = branch_[state] == none ? i : several;
      if (!is_end[state]) todo.push_back(state);
    };
    reach(fork.exits[i].target);
    while (!todo.empty()) {
      const State& at = workflow.states[todo.back()];
      todo.pop_back();
      if (follow == Follow::after_success) {
        for (const std::size_t target : targets_after_success(workflow, at, at)) reach(target);
      } else {
        for (const Transition& exit : at.exits) reach(exit.target);
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
