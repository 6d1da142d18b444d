#include "workflow/model/forks.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <vector>

namespace wtool::host::workflow {
namespace {

constexpr std::size_t unreachable = std::numeric_limits<std::size_t>::max();

// Counts the arrows from `start` to each state. Does not follow arrows to `fork`, because all branches begin again there.
std::vector<std::size_t> distances(const Workflow& workflow, std::size_t start, const State& fork) {
  std::vector<std::size_t> away(workflow.states.size(), unreachable);
  if (start == no_state || &workflow.states[start] == &fork) return away;
  std::deque<std::size_t> todo = {start};
  away[start] = 0;
  while (!todo.empty()) {
    const std::size_t state = todo.front();
    todo.pop_front();
    for (const Transition& exit : workflow.states[state].exits) {
      if (exit.target == no_state || away[exit.target] != unreachable) continue;
      if (&workflow.states[exit.target] == &fork) continue;
      away[exit.target] = away[state] + 1;
      todo.push_back(exit.target);
    }
  }
  return away;
}

}  // namespace

std::size_t join_of(const Workflow& workflow, const State& fork) {
  std::vector<std::size_t> farthest(workflow.states.size(), 0);
  for (const Transition& exit : fork.exits) {
    const std::vector<std::size_t> away = distances(workflow, exit.target, fork);
    for (std::size_t i = 0; i < away.size(); ++i) farthest[i] = std::max(farthest[i], away[i]);
  }
  // Regions meet at the end of their composite state, even if a join outside is nearer.
  const std::size_t end = fork.other_half;
  if (end != no_state && workflow.states[end].kind == State::Kind::join && farthest[end] != unreachable) return end;
  std::size_t join = no_state;
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    if (workflow.states[i].kind != State::Kind::join || farthest[i] == unreachable) continue;
    if (join == no_state || farthest[i] < farthest[join]) join = i;
  }
  return join;
}

}  // namespace wtool::host::workflow
