// Runs one command in a sandbox, as run() does without one.
#pragma once

#include <string>
#include <variant>

#include "engine/run.h"
#include "engine/sandbox/sandbox.h"

namespace wtool::engine {

// Like run(). `directory` is the path of command.directory. If a refusal is returned, nothing was run, and `report` has
// no meaning. If an outcome is returned, `report` receives what is known about the effect of the sandbox.
std::variant<CommandOutcome, SandboxRefusal> run_sandboxed(WardenClient& client, Sandbox& sandbox,
                                                           const Command& command, const std::string& directory,
                                                           const RunOptions& options, Cancellation& cancellation,
                                                           const OutputSink& sink, SandboxReport& report);

}  // namespace wtool::engine
