#include "engine/command_runner.h"

#include "engine/sandbox/sandboxed_run.h"

namespace wtool::engine {

std::variant<CommandOutcome, SandboxRefusal> LocalRunner::run(const Command& command, const std::string& directory,
                                                              Sandbox* sandbox, const RunOptions& options,
                                                              Cancellation& cancellation, const OutputSink& sink,
                                                              SandboxReport& report) {
  if (sandbox == nullptr) return engine::run(client_, command, options, cancellation, sink);
  return run_sandboxed(client_, *sandbox, command, directory, options, cancellation, sink, report);
}

}  // namespace wtool::engine
