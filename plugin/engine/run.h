// Runs one command on this machine, from its start to the death of its last process. There is no other way to run a
// command here.
//
//   Command command;
//   command.paths = {"/usr/bin/git"};
//   command.arguments = {"git", "status"};
//   command.variables = {"PATH=/usr/bin"};
//   command.directory = directory.get();
//   RunOptions options;
//   options.deadline = Clock::now() + 30s;
//   const CommandOutcome outcome = run(client, command, options, cancellation, {});
//   if (const auto* exited = std::get_if<Exited>(&outcome.termination)) return exited->status;
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/environment_snapshot.h"
#include "engine/cancellation.h"
#include "engine/command.h"
#include "engine/event_batch.h"
#include "engine/limits.h"
#include "engine/outcome.h"
#include "engine/spill.h"
#include "engine/terminal.h"
#include "engine/warden_client.h"

namespace wtool::engine {

// What a runner keeps for the commands of one session until the session ends, such as a slot of a cluster.
class SessionHold {
 public:
  virtual ~SessionHold() = default;
};

// The state of a command. Borrowed members are valid until the sink returns, and `reason` forever: it is a constant.
struct CommandState {
  enum class Name { queued, started, stopping, ended };
  Name name = Name::queued;
  pid_t pid = 0;                   // The main process, if the command has started on this machine.
  std::string_view node{}, job{};  // Set if the command has started on a cluster node.
  std::string_view reason{};  // Why it is being stopped ("timeout", "cancelled"), or what it is queued for ("node").
  // Only in `started`, with secrets masked. Runners leave it empty, and call.cc fills it.
  std::span<const std::string> argv{};
};

// Receives the states of a command: `started` before any output, `stopping`, and `queued` if the command must wait for
// a place to run. Returns false to stop the command gracefully.
using StateSink = std::function<bool(const CommandState&)>;

struct RunOptions {
  std::optional<std::chrono::steady_clock::time_point> deadline;  // When the command is stopped, as timed out.
  // For a runner whose commands may have to wait before they start. `time_limit`: how long the command may take once it
  // has started. `latest`: the time after which its result is not needed, whether it has started or not.
  std::optional<std::chrono::milliseconds> time_limit;
  bool time_limit_named = false;  // the caller of the tool chose the limit, so the command may need all of it
  std::optional<std::chrono::steady_clock::time_point> latest;
  std::chrono::milliseconds grace{2000};    // Between SIGTERM and SIGKILL.
  std::size_t capture_bytes = 1024 * 1024;  // Per stream.
  Limits limits;
  // Only the limits of this call, as the host gave them, for a runner that passes the command to another machine;
  // `limits` and the sandbox already include them. Borrowed.
  std::string_view call_limits;
  // The host's environment, from which the command's variables were made, for a runner that must know which variables the
  // host has merely inherited. Borrowed; nullptr: not known.
  const EnvironmentSnapshot* host_environment = nullptr;
  bool merged = false;         // Standard error goes where standard output goes.
  bool keep = false;           // What outlives the command is kept (CommandOutcome::kept), not ended.
  bool lifts_network = false;  // for run_sandboxed: the network is open, whatever the sandbox's policy says
  // The scope that the command shares with other commands of its session, in a sandbox that has scopes; nullptr: none.
  std::shared_ptr<SignalScope> scope;
  // Borrowed: where a runner stores what it keeps for the command's session. nullptr: the command has no session.
  std::shared_ptr<SessionHold>* hold = nullptr;
  SpillOptions::When spill = SpillOptions::When::never;  // When the whole output is written to a spill file.
  SpillDirectory* spill_directory = nullptr;             // The folder of that file; required if `spill` is set.
  std::string_view name;                                 // What the spill file is named after.
  // The command's standard streams and controlling terminal, instead of pipes. What the command shows is neither
  // captured nor spilled, and causes no events. nullptr: the command has pipes.
  CommandTerminal* terminal = nullptr;
  std::uint64_t span = 0;  // The span of log records about the command.
  StateSink state;         // May be empty.
};

// Blocks until every process of the command is dead or kept, or is known to be left (`unkillable`, `Lost`), and
// its descriptors are closed. `sandbox` is borrowed; nullptr: none. Any thread may call it, even while other threads do.
// Throws only std::bad_alloc.
CommandOutcome run(WardenClient& client, const Command& command, const RunOptions& options, Cancellation& cancellation,
                   const OutputSink& sink, const Confinement* sandbox = nullptr);

}  // namespace wtool::engine
