// A part of a workflow: `run --until STATE` ends where that state has ended, `run --only STATE` runs only that state.
//
// The workflow itself is cut before it is planned or run, so that the journal and resumed runs need no rules for parts.
// The state's own exits are dropped: the run completes if the state succeeds, and fails if it fails.
#pragma once

#include <string>

#include "workflow/model/model.h"

namespace wtool::host::runner {

struct RunPart {
  std::string until{};
  std::string only{};  // at most one of the two is given

  bool is_whole() const { return until.empty() && only.empty(); }
};

// Returns why the workflow cannot be cut to this part; empty: it was cut. With `only`, neither `finally` nor the
// workflow's `on failure` runs. With `until`, a state inside the branches of a fork cannot end the run, because the
// other branches would have no end.
std::string cut_to(workflow::Workflow& workflow, const RunPart& part);

// The reason of a run that has failed because its path ended before it came to the state that --until names.
std::string missed_until(const std::string& until);

}  // namespace wtool::host::runner
