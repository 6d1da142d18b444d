// Where the branches of a fork meet.
#pragma once

#include <cstddef>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

// The join at which the branches of a fork meet: the nearest join to which every exit of the fork leads without passing
// the fork again; for regions, the end of their composite state; no_state: the branches do not meet. Takes linear time
// for each exit.
std::size_t join_of(const Workflow& workflow, const State& fork);

}  // namespace wtool::host::workflow
