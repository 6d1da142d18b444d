// A part of a workflow: `run --until STATE` ends where that state has ended, `run --only STATE` runs that state alone.
//
// The workflow itself is cut before it is planned or run, so that the journal and resumed runs need no rules for parts.
// The state's own exits do not count any more: the run completes if the state succeeds, and fails if it fails.
#pragma once

#include <string>

#include "workflow/model/model.h"

namespace wtool::host::runner {

struct RunPart {
  std::string until{};
  std::string only{};  // one of the two may be given

  bool is_whole() const { return until.empty() && only.empty(); }
};

// With `only`, neither `finally` nor the workflow's `on failure` are part of it. Returns why it cannot be cut like
// that; empty: it was cut. A state inside of the branches of a fork cannot end a run, because the branches beside it
// would not know.
std::string cut_to(workflow::Workflow& workflow, const RunPart& part);

}  // namespace wtool::host::runner
