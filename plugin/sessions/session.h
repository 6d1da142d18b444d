// One terminal session: a directory and variables for its commands, which run one at a time, and the processes that
// they left behind.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "policy/environment.h"
#include "sessions/background.h"

namespace wtool {

struct SessionDetails {
  std::string id;
  std::string task;
  std::string agent;
  std::string directory;          // canonical
  policy::Variables environment;  // added for each command
  std::chrono::system_clock::time_point created;
};

// Any thread may call any member.
class Session {
 public:
  explicit Session(SessionDetails details) : details_(std::move(details)) {}

  const SessionDetails& details() const { return details_; }

  enum class State {
    idle,       // it is ready; the last command, if there was one, succeeded
    running,    // a command runs
    completed,  // it is being closed
    failed,     // it is ready; the last command failed, or could not be run
  };
  State state() const;

  // How many commands have run.
  std::uint64_t commands() const;

  enum class Begin { begun, busy, closed };

  // Begins a command. The thread that closes the session calls `abort` to stop it. Every command that has begun must
  // end.
  Begin begin(std::function<void(std::string_view reason)> abort);

  enum class Ending { refused, not_started, succeeded, failed };
  void end(Ending ending);

  Background& background() { return background_; }
  // Where its commands run in a sandbox, they can signal each other's processes.
  const std::shared_ptr<engine::SignalScope>& scope() const { return scope_; }

  // What is to be done when it was closed by the end of the plugin, with what is left of it.
  std::function<void(const std::vector<engine::ProcessName>& unkillable)> on_plugin_shutdown;

  // Stops the command that runs, waits for its end, and ends what is left. Later commands are refused.
  std::vector<engine::ProcessName> close(std::chrono::milliseconds grace);

 private:
  const SessionDetails details_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State last_ = State::idle;
  bool running_ = false;
  bool closed_ = false;
  bool aborting_ = false;  // abort_ is being called; the command that it stops cannot end before it is through
  std::uint64_t commands_ = 0;
  std::function<void(std::string_view)> abort_;
  Background background_;
  const std::shared_ptr<engine::SignalScope> scope_ = std::make_shared<engine::SignalScope>();
};

}  // namespace wtool
