// What policy says of a call that is not made: the verdict of `wtool call TOOL --explain`, for plan and lint.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "loader/toolbox.h"
#include "workflow/check/checker.h"

namespace wtool::host {

// A verdict that is missing, or not known here, is never taken for a permission.
workflow::CommandVerdict explained(Toolbox& toolbox, const std::string& tool, const nlohmann::json& arguments);

// Whether policy allows even a line that nobody can read, so that it has no rule about commands at all.
bool allows_any_command(Toolbox& toolbox);

}  // namespace wtool::host
