// The states of a workflow in the order in which a reader follows them: breadth first from the start, the paths of a
// fork one after the other, then what follows their join; then the states to which failures lead, and at last
// `finally`.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workflow/model/model.h"

namespace wtool::host::planning {

enum class PlanPart { main, on_failure, finally };

struct WalkedState {
  std::size_t state = workflow::no_state;
  PlanPart part = PlanPart::main;
  std::vector<std::string> branches;  // the paths of forks that it is on, outermost first: the states they begin with
};

// Each state once; hidden ones are followed and left out.
std::vector<WalkedState> walk_states(const workflow::Workflow& workflow);

}  // namespace wtool::host::planning
