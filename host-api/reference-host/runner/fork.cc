#include "runner/steps.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include "runner/branch.h"
#include "runner/waiting.h"
#include "workflow/model/forks.h"

namespace wtool::host::runner {
namespace {

using workflow::no_state;
using workflow::State;
using workflow::Transition;
using workflow::Workflow;

struct BranchLane {
  std::string label;
  std::string branch;
  Variables variables;
  BranchResult end;
  std::optional<LastStep> last;

  // Under `failures: continue`, a branch has also failed if its last action has failed and no arrow `always` says that
  // this is right.
  bool has_failed(bool continues) const {
    return end.kind == BranchResult::Kind::failed || end.kind == BranchResult::Kind::aborted || end.with_failure ||
           (continues && last && last->outcome.is_error && !last->handled);
  }
};

std::vector<std::unique_ptr<BranchLane>> lanes_of(const WorkflowInvocation& invocation, const StepPlace& place,
                                                  const State& fork, const Variables& variables) {
  std::vector<std::unique_ptr<BranchLane>> lanes;
  std::map<std::string, int> seen;
  for (const Transition& exit : fork.exits) {
    std::string label = exit.target == no_state ? "[*]" : invocation.workflow.states[exit.target].id;
    const int times = ++seen[label];
    if (times > 1) label += "." + std::to_string(times);
    lanes.push_back(
        std::make_unique<BranchLane>(BranchLane{label, branch_inside(place, label), variables.fork(), {}, {}}));
  }
  return lanes;
}

// Merges in the order of the diagram, so that the result never depends on which branch was quicker.
void merge_variables(const std::vector<std::unique_ptr<BranchLane>>& lanes, Variables& variables,
                     RunObserver& observer) {
  std::map<std::string, std::string> set_by;
  for (const auto& lane : lanes) {
    variables.merge(lane->variables, [&](const std::string& name) {
      const auto [found, is_new] = set_by.try_emplace(name, lane->label);
      if (is_new) return;
      observer.noticed("the branches '" + found->second + "' and '" + lane->label + "' have both set '" + name +
                       "'; the value of '" + lane->label + "' is used, because that branch comes later in the diagram");
      found->second = lane->label;
    });
  }
}

LastStep joined_outcome(const State& fork, const std::vector<std::unique_ptr<BranchLane>>& lanes, bool continues) {
  LastStep last{fork.id, "", {}};
  std::string names;
  std::string ended;
  std::size_t failures = 0;
  for (const auto& lane : lanes) {
    if (!lane->has_failed(continues)) continue;
    if (lane->end.kind == BranchResult::Kind::aborted) {
      ended += (ended.empty() ? "" : ", ") + lane->label;
      continue;
    }
    names += (failures++ == 0 ? "" : ", ") + lane->label;
    if (failures > 1) continue;
    last.outcome.exit_code = lane->last && lane->last->outcome.exit_code != 0 ? lane->last->outcome.exit_code : 1;
    if (lane->last) {
      last.outcome.standard_error = lane->last->outcome.standard_error;
      last.outcome.whole_error = lane->last->outcome.whole_error;
      last.outcome.error = lane->last->outcome.error;
    }
  }
  last.outcome.is_error = failures > 0 || !ended.empty();
  if (failures > 0) {
    last.outcome.message =
        std::to_string(failures) + " of " + std::to_string(lanes.size()) + " branches failed: " + names;
  }
  if (!ended.empty()) {
    if (failures == 0) last.outcome.exit_code = 130;
    last.outcome.message += (failures > 0 ? "; ended early: " : "ended early: ") + ended;
  }
  return last;
}

}  // namespace

void run_parallel(std::size_t count, const std::function<void(std::size_t index)>& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto take_turns = [&]() noexcept {
    for (std::size_t index = next++; index < count; index = next++) {
      // If an exception left the thread, the program would end.
      try {
        work(index);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(std::min(count, max_threads));
  for (std::size_t i = 1; i < std::min(count, max_threads); ++i) {
    try {
      threads.emplace_back(take_turns);
    } catch (const std::system_error&) {
      break;  // this thread does the rest
    }
  }
  take_turns();
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

ForkResult run_fork(const WorkflowInvocation& invocation, const StepPlace& place, const State& fork,
                    Variables& variables, Stop& stop, Lineage lineage) {
  Run& run = invocation.run;
  const bool over = lineage.over || run.past_is_judged(place);
  // When the run is resumed, each branch that is over ends where it ended before, no matter how quickly another branch
  // fails now.
  const bool fail_fast = !over && run.fails_fast(invocation.workflow);
  const auto lanes = lanes_of(invocation, place, fork, variables);
  ForkResult made;
  made.join = workflow::join_of(invocation.workflow, fork);
  ChildStop group(stop);
  std::mutex mutex;
  const BranchLane* first_failed = nullptr;
  const std::size_t fork_state = static_cast<std::size_t>(&fork - invocation.workflow.states.data());
  run_parallel(lanes.size(), [&](std::size_t index) {
    BranchLane& lane = *lanes[index];
    try {
      Branch branch(invocation, lane.branch, lane.variables, group.stop(), {over, lineage.forks + 1, fork_state});
      lane.end = branch.go(fork.exits[index].target, made.join);
      lane.last = branch.last();
    } catch (const std::exception& error) {
      lane.end.kind = BranchResult::Kind::failed;
      lane.end.reason = std::string("an unexpected error inside wtool: ") + error.what();
    }
    if (lane.end.kind != BranchResult::Kind::failed) return;
    {
      const std::lock_guard lock(mutex);
      // If the failure of a branch ends the whole run, the fork reports that failure and not an earlier one.
      if (first_failed == nullptr || (lane.end.fatal && !first_failed->end.fatal)) first_failed = &lane;
    }
    if (fail_fast || lane.end.fatal) {
      group.stop().request(StopHow::graceful, "the branch '" + lane.label + "' has failed");
    }
  });

  // If a changed action made the branches run again, the decision of the earlier run at the join is no longer valid.
  const bool is_over = over && run.has_past();
  merge_variables(lanes, variables, run.observer());
  made.last = joined_outcome(fork, lanes, invocation.workflow.continues);
  variables.record(made.join == no_state ? "" : invocation.workflow.states[made.join].id, "", made.last->outcome);
  if (const auto stopped = stop.requested()) {
    made.branch_result.kind = BranchResult::Kind::aborted;
    made.branch_result.reason = stopped->reason;
    for (const auto& lane : lanes) {
      if (lane->end.by_action) made.branch_result = lane->end;
    }
    return made;
  }
  // A failure that ends the other branches ends their questions, too.
  const bool is_final = first_failed != nullptr && (fail_fast || first_failed->end.fatal);
  for (const auto& lane : lanes) {
    if (is_final || !lane->end.suspended) continue;
    made.branch_result = lane->end;
    return made;
  }
  if (first_failed != nullptr) {
    made.branch_result = first_failed->end;
    const std::string prefix = "the branch '" + first_failed->label + "' failed: ";
    // If a branch led back to its own fork, its name is given once, and not a hundred times.
    if (!made.branch_result.reason.starts_with(prefix)) made.branch_result.reason.insert(0, prefix);
  }
  const bool any_joined = std::any_of(lanes.begin(), lanes.end(),
                                      [](const auto& lane) { return lane->end.kind == BranchResult::Kind::joined; });
  // A failed branch is treated as if it had reached the join, because the exits of the join may handle the failure. A
  // branch that ended at [*] has not reached the join.
  if (!any_joined && first_failed == nullptr && !is_over) made.join = no_state;
  return made;
}

}  // namespace wtool::host::runner
