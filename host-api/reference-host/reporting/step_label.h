// What a step is called where several run at once.
#pragma once

#include <string>

#include "runner/run_observer.h"

namespace wtool::host::workflow {

// The name of its state; behind those of the branches that it runs in, where these are not the main path: `TaskA /
// Test`, `deploy / Upload`, `[2] Build` of the second combination of a matrix. Safe for a terminal.
std::string step_label(const Step& step);

}  // namespace wtool::host::workflow
