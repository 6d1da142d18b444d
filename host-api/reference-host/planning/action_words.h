// An action in words, with the values that are known.
#pragma once

#include <string>

#include "planning/known_values.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// Without the command of those that call a tool: `runs a command`, `logs "done"`, `waits 5 seconds`.
std::string action_words(const Action& action, const KnownValues& values);

// `1.5 s`, `2 min`, `500 ms`.
std::string duration_words(std::chrono::milliseconds duration);

}  // namespace wtool::host::workflow
