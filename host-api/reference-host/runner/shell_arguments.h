// The call of the shell tool that an action `Shell "command"` makes, as a step or as a service.
//
// The command is rendered before the rest, because a step records it even if the rest has a mistake.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "runner/run.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

// The command with its values filled in, below the line with which its shell begins. Nothing: `mistake` says what is
// wrong, with its place.
std::optional<std::string> shell_command(const workflow::ShellAction& action, const WorkflowInvocation& invocation,
                                         const expressions::Scope& values, std::string& mistake);

// The arguments of a call that runs `command`, which is that of the action: with the directory and the environment of
// the action. Hides the secrets of environment files. Nothing: as above.
std::optional<nlohmann::json> shell_arguments(const std::string& command, const workflow::ShellAction& action,
                                              const WorkflowInvocation& invocation, const expressions::Scope& values,
                                              std::string& mistake);

}  // namespace wtool::host::runner
