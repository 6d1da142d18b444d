// Which branches of a fork lead to a state.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "workflow/check/failure_rule.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// Where each state leads, for the walks below. Made once for a workflow, in linear time. Borrows the workflow.
class BranchEdges {
 public:
  explicit BranchEdges(const Workflow& workflow);

  const Workflow& workflow() const { return workflow_; }
  const AfterSuccess& after_success() const { return after_success_; }
  // All exits, and `on failure`, but not the exits by which a failure leaves a composite state. None from an Abort.
  const std::vector<std::size_t>& all(std::size_t state) const { return all_[state]; }

 private:
  const Workflow& workflow_;
  const AfterSuccess after_success_;
  std::vector<std::vector<std::size_t>> all_;  // by state
};

class ForkBranches {
 public:
  enum class Follow { all, after_success };  // after_success: only the exits that a success may take

  // Walks along each branch of `fork`, but not on from the states in `ends`. A path that comes to an Abort ends there, and
  // so does one that leads back to the fork, because all branches begin again. Takes linear time.
  ForkBranches(const BranchEdges& edges, const State& fork, const std::vector<std::size_t>& ends,
               Follow follow = Follow::all);

  // The states to which any branch leads, in the order in which they were found.
  const std::vector<std::size_t>& reached() const { return reached_; }

  // How many branches lead to the state: 0, 1, or 2 for several.
  std::size_t count(std::size_t state) const;

  // Two of these states to each of which only one branch leads, and not the same one; no_state: there are no such two.
  std::pair<std::size_t, std::size_t> parallel_pair(const std::vector<std::size_t>& states) const;

 private:
  static constexpr std::size_t none = no_state;
  static constexpr std::size_t several = no_state - 1;

  std::vector<std::size_t> branch_;  // by state: the only exit of the fork that leads to it, none or several
  std::vector<std::size_t> reached_;
};

}  // namespace wtool::host::workflow
