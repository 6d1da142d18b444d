// Where the states of a workflow may lead, and what can be reached along these ways.
#pragma once

#include <cstddef>
#include <vector>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

using StateEdges = std::vector<std::vector<std::size_t>>;  // by state: other states, never no_state
using StateMarks = std::vector<bool>;                      // by state

// By state: the targets of its exits, in their order, and then the state that its action names with `on failure`. A way
// to the end has no edge.
StateEdges edges_of(const Workflow& workflow);

// By state: the states that lead to it, in their order.
StateEdges reversed(const StateEdges& edges);

// Marks the states of `from`, and all states that can be reached from them along `edges` without passing `barrier` or a
// state that is marked already. Ignores no_state in `from`. Returns the states that it has marked. Takes linear time.
std::vector<std::size_t> mark_reached(const std::vector<std::size_t>& from, const StateEdges& edges, StateMarks& marks,
                                      std::size_t barrier = no_state);

// The states of `from`, even the barrier, and all states that can be reached from them without passing the barrier.
StateMarks reached_from(const std::vector<std::size_t>& from, const StateEdges& edges, std::size_t barrier = no_state);

}  // namespace wtool::host::workflow
