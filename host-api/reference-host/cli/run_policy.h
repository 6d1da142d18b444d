// Confines the commands of this process to what a policy of `wtool mcp` allows: those of the server itself, and those
// of a person who continues a run that a server has started.
#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "config/policy_preset.h"
#include "runner/run_observer.h"

namespace wtool::host {

// Call it before a toolbox is opened, and at most once. The policy must have a name. Nothing: `error` says why the
// policy cannot be applied, and nothing may run.
std::optional<PolicyPreset> confine(Context& context, const runner::RunPolicy& policy, std::string& error);

}  // namespace wtool::host
