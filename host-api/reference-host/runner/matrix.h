// An action with a matrix: once for each combination, at the same time.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "runner/actions.h"

namespace wtool::host::runner {

inline constexpr std::size_t max_combinations = 1000;

// The combinations of the lists in the order in which they are written, the last one changing first; or what is wrong.
std::variant<std::vector<expressions::Value>, std::string> combinations(const nlohmann::json& matrix,
                                                                        const expressions::Scope& values);

// Each combination is a step of a branch of its own, with its values in `matrix`, and with its tries. The outcome holds
// theirs, as a list; it has failed where one has. One that fails ends the others, unless `fail_fast` is off.
ActionResult run_matrix(const Step& step, const ActionContext& context);

}  // namespace wtool::host::runner
