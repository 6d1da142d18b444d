// What a step is called where several run at once.
#pragma once

#include <map>
#include <string>

#include "runner/run_observer.h"

namespace wtool::host::report {

// Of the combinations of matrices, by their branches.
using CombinationNames = std::map<std::string, std::string>;

// The values of a combination: `amd64, debug`. Safe for a terminal, and short.
std::string combination_name(const expressions::Value& values);

// The name of its state, preceded by the branches in which it runs, except the main path: `TaskA / Test`, `deploy /
// Upload`, `Build (amd64, debug)` for a combination of a matrix, `[2] Build` if its values are unknown. Safe for a
// terminal.
std::string step_label(const runner::Step& step, const CombinationNames& combinations = {});
std::string step_label(const std::string& branch, const std::string& state, const CombinationNames& combinations = {});

}  // namespace wtool::host::report
