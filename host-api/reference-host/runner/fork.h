// Parallel branches: what a fork begins, and a join puts together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runner/run.h"
#include "runner/variables.h"

namespace wtool::host::runner {

// Calls `work(0)` to `work(count - 1)`, each on its own thread (at most `max_threads` at a time); returns when all are
// done. If no further thread can be started, the existing ones do the rest. `work` must not throw.
inline constexpr std::size_t max_threads = 1024;
void run_parallel(std::size_t count, const std::function<void(std::size_t index)>& work);

// The join at which the branches of a fork meet: the nearest one to which every exit of it leads; no_state if there is
// none.
std::size_t join_of(const workflow::Workflow& workflow, const workflow::State& fork);

struct ForkResult {
  BranchResult branch_result;             // failed where a branch could go no further, aborted; else ended
  std::size_t join = workflow::no_state;  // where the path goes on; no_state: all branches have come to the end
  std::optional<LastStep> last;           // what the branches ended with, as one outcome
};

// Runs all branches of the fork, which is step `sequence` of the branch `name`, and merges what they have set into
// `variables`. `lineage` is that of this branch.
ForkResult run_fork(const WorkflowInvocation& invocation, const std::string& name, std::uint64_t sequence,
                    const workflow::State& fork, Variables& variables, Stop& stop, Lineage lineage);

}  // namespace wtool::host::runner
