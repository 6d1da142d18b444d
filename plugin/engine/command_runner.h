// Runs commands, on this machine or on others. The code in call/ has no other way to run a command.
#pragma once

#include <string>
#include <variant>

#include "engine/run.h"
#include "engine/sandbox/sandbox.h"

namespace wtool::engine {

// Any thread may call any member, even while other threads do.
class CommandRunner {
 public:
  virtual ~CommandRunner() = default;

  // Blocks until no process of the command lives, except for those that are kept, and those that the outcome reports as
  // possibly left. `directory` is the path of command.directory. `sandbox` is the sandbox of the configuration, or
  // nullptr. If a refusal is returned, nothing was run. With a sandbox, `report` receives what is known about its effect.
  virtual std::variant<CommandOutcome, SandboxRefusal> run(const Command& command, const std::string& directory,
                                                           Sandbox* sandbox, const RunOptions& options,
                                                           Cancellation& cancellation, const OutputSink& sink,
                                                           SandboxReport& report) = 0;

  // Returns the explanation of a call (the JSON text of an object) with the additions of this runner.
  virtual std::string explained(std::string explanation) const { return explanation; }
};

// Runs commands on this machine, in the custody of the warden.
class LocalRunner final : public CommandRunner {
 public:
  // The client must outlive this object.
  explicit LocalRunner(WardenClient& client) : client_(client) {}

  std::variant<CommandOutcome, SandboxRefusal> run(const Command& command, const std::string& directory,
                                                   Sandbox* sandbox, const RunOptions& options,
                                                   Cancellation& cancellation, const OutputSink& sink,
                                                   SandboxReport& report) override;

 private:
  WardenClient& client_;
};

}  // namespace wtool::engine
