// run(), in a sandbox.
#pragma once

#include <string>
#include <variant>

#include "engine/run.h"
#include "engine/sandbox/sandbox.h"

namespace wtool::engine {

// Like run(). `directory` is the path of command.directory. With a refusal, nothing was run. `report` is filled in both
// cases, as far as it is known.
std::variant<CommandOutcome, SandboxRefusal> run_sandboxed(WardenClient& client, Sandbox& sandbox, Command command,
                                                           const std::string& directory, const RunOptions& options,
                                                           Cancellation& cancellation, const OutputSink& sink,
                                                           SandboxReport& report);

}  // namespace wtool::engine
