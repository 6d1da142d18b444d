// What policy says of a call that is not made: the verdict of `wtool call TOOL --explain`, for plan and lint.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "loader/toolbox.h"
#include "workflow/surroundings.h"

namespace wtool::host {

// Nothing: it cannot be told, and `why` says why. A verdict that is not known here is never taken for a permission.
std::optional<workflow::CommandVerdict> explained(Toolbox& toolbox, const std::string& tool,
                                                  const nlohmann::json& arguments, std::string& why);

}  // namespace wtool::host
