// Whether a state can have run before another one, on any path through the diagram.
#pragma once

#include <cstddef>
#include <vector>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

class ValuePaths {
 public:
  // `workflow` must outlive this.
  explicit ValuePaths(const Workflow& workflow);

  // False where no path leads from any of `earlier` to that state; at its exits (`after_action`), the state itself
  // counts. True in doubt: if the state cannot be reached at all, or if earlier questions have used up the steps.
  bool may_follow(const std::vector<std::size_t>& earlier, std::size_t state, bool after_action);

 private:
  void connect(std::size_t from, std::size_t to);

  const Workflow& workflow_;
  std::vector<std::vector<std::size_t>> sources_;  // the states that lead to each
  std::vector<bool> from_anywhere_;                // where failures, or all runs at last, lead
  std::vector<std::size_t> seen_;                  // in which question each state was met last
  std::size_t question_ = 0;
  std::size_t steps_left_ = 5'000'000;
};

}  // namespace wtool::host::workflow
