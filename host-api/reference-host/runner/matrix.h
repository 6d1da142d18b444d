// An action with a matrix: once for each combination, at the same time.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runner/actions.h"

namespace wtool::host::runner {

// The combinations of the lists in the order in which they are written, the last one changing first; or what is wrong.
std::variant<std::vector<expressions::Value>, std::string> combinations(const nlohmann::json& matrix,
                                                                        const expressions::Scope& values);

// Each combination is a step of its own branch, with its values in `matrix` and its own tries. The outcome is the list
// of theirs, and has failed if one of them has. One that fails ends the others, unless `fail_fast` is off.
ActionResult run_matrix(const Step& step, const ActionContext& context);

}  // namespace wtool::host::runner
