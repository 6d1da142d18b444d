#include "workflow/model/edges.h"

namespace wtool::host::workflow {

StateEdges edges_of(const Workflow& workflow) {
  StateEdges edges(workflow.states.size());
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    const State& state = workflow.states[i];
    for (const Transition& exit : state.exits) {
      if (exit.target != no_state) edges[i].push_back(exit.target);
    }
    if (!state.action) continue;
    const std::size_t handler = workflow.index_of(state.action->options.on_failure.name);
    if (handler != no_state) edges[i].push_back(handler);
  }
  return edges;
}

StateEdges reversed(const StateEdges& edges) {
  StateEdges sources(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    for (const std::size_t target : edges[i]) sources[target].push_back(i);
  }
  return sources;
}

std::vector<std::size_t> mark_reached(const std::vector<std::size_t>& from, const StateEdges& edges, StateMarks& marks,
                                      std::size_t barrier) {
  std::vector<std::size_t> found;
  const auto mark = [&](std::size_t state) {
    if (marks[state]) return;
    marks[state] = true;
    found.push_back(state);
  };
  for (const std::size_t state : from) {
    if (state != no_state) mark(state);
  }
  // `found` grows during this loop.
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const std::size_t next : edges[found[i]]) {
      if (next != barrier) mark(next);
    }
  }
  return found;
}

StateMarks reached_from(const std::vector<std::size_t>& from, const StateEdges& edges, std::size_t barrier) {
  StateMarks marks(edges.size());
  mark_reached(from, edges, marks, barrier);
  return marks;
}

}  // namespace wtool::host::workflow
