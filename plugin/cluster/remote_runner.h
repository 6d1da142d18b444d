// Runs commands on the nodes of a cluster: takes a free slot of a pilot (pool.h), runs the command there, and gives the
// slot back.
//
// - This host captures the output, writes the spill files and makes the events. The pilot sends the output as it comes.
// - A command that its pilot did not begin is sent to another pilot. If the pilot is lost later, the command ends as
//   `NodeLost`, or as `Cancelled` if it was being cancelled. If the call fails on the pilot, the command ends as
//   `Lost`.
// - The commands of a session share a slot. The session keeps the slot, and what its commands leave running on that
//   node, until the session is closed. If the node is lost, the session's next command takes another slot.
#pragma once

#include <memory>
#include <string>

#include "cluster/pool.h"
#include "engine/command_runner.h"

namespace wtool::cluster {

class RemoteRunner final : public engine::CommandRunner {
 public:
  // `configuration` is that of the tool, without the `cluster` section. Its sandbox is enforced on the node.
  RemoteRunner(std::shared_ptr<Pool> pool, std::string configuration)
      : pool_(std::move(pool)), configuration_(std::move(configuration)) {}

  std::variant<engine::CommandOutcome, engine::SandboxRefusal> run(
      const engine::Command& command, const std::string& directory, engine::Sandbox* sandbox,
      const engine::RunOptions& options, engine::Cancellation& cancellation, const engine::OutputSink& sink,
      engine::SandboxReport& report) override;

  // Adds what would be requested from Slurm (submission.h).
  std::string explained(std::string explanation) const override;

 private:
  const std::shared_ptr<Pool> pool_;
  const std::string configuration_;
};

}  // namespace wtool::cluster
