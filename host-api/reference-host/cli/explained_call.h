// What is known about a call that is not made: whether it is possible at its place, and what the policy says about it,
// which is the verdict of `wtool call TOOL --explain`. For the checks of a workflow, plan and lint.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "loader/toolbox.h"
#include "servers/catalog.h"
#include "workflow/check/checker.h"
#include "workflow/model/model.h"

namespace wtool::host {

// Why the tool cannot be called at the place; empty: it can. For the tool of a server, the place is where the server's
// command runs.
std::string place_problem(Toolbox& toolbox, const servers::Catalog& servers, const workflow::Placement& place,
                          const std::string& tool);

// The policy's verdict on the call. A missing or unknown verdict never counts as allowed.
workflow::CommandVerdict explained(Toolbox& toolbox, const servers::Catalog& servers, const std::string& tool,
                                   const nlohmann::json& arguments);

// What the tool says that the call would do. Nothing: the tool gave no explanation; `why` says why.
std::optional<Explanation> explanation_of(Toolbox& toolbox, const servers::Catalog& servers, const CallPlace& place,
                                          const std::string& tool, const nlohmann::json& arguments, std::string& why);

// True if the policy allows even a command line that cannot be parsed, which means that it has no rule about commands.
bool allows_any_command(Toolbox& toolbox);

}  // namespace wtool::host
