// Terminal sessions, and the background processes that commands leave running. Sessions owns all of them from the
// plugin's init to its deinit. They do not belong to a tool object: when the configuration changes, the host makes new
// tool objects, and sessions live on.
//
//   const auto session = sessions.create({.task = "build", .directory = "/srv/app"}, 50);
//   if (session == nullptr) return limit_reached();
//   if (session->begin(abort) != Session::Begin::begun) return refused();  // busy, or closed meanwhile
//   if (outcome.kept) session->background().keep(outcome.kept);            // after a command has run
//   session->end(Session::Ending::succeeded);
//   sessions.close(session->details().id, 2s, unkillable);
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/kept_tree.h"
#include "engine/run.h"
#include "policy/environment.h"
#include "sessions/pty.h"

namespace wtool {

// Background processes that live on after their command, until they are ended or their session is closed. Any thread
// may call any member. The custody that the trees came from must outlive this object.
class Background {
 public:
  // Each command with background processes costs a custodian and a descriptor.
  static constexpr std::size_t max_commands = 64;

  // True if the processes of one more command can be kept.
  bool has_room();

  // Keeps the tree, unless it is already kept.
  void keep(std::shared_ptr<engine::KeptTree> tree);

  // Asks all processes to end, and does not wait.
  void request_end(std::chrono::milliseconds grace);

  // Ends all processes, and waits until they have ended. Returns the processes that could not be killed. Once
  // `patience` is over, the grace period is cut short.
  engine::ProcessesLeft end(std::chrono::milliseconds grace, const engine::Patience* patience = nullptr);

 private:
  void forget_dead();

  std::mutex mutex_;
  std::vector<std::shared_ptr<engine::KeptTree>> trees_;
  std::vector<std::future<engine::ProcessesLeft>> ending_;  // trees whose custodian has died
  engine::ProcessesLeft left_;                              // of trees that were forgotten
};

struct SessionDetails {
  std::string id;
  std::string task;
  std::string agent;
  std::string directory;          // canonical
  policy::Variables environment;  // added to the variables of each command
  std::chrono::system_clock::time_point created;
};

// One terminal session: a directory and variables for its commands, which run one at a time, and the processes that
// they left behind. Any thread may call any member.
class Session {
 public:
  explicit Session(SessionDetails details) : details_(std::move(details)) {}

  const SessionDetails& details() const { return details_; }

  enum class State {
    idle,       // it is ready; the last command, if there was one, succeeded
    running,    // a command runs
    completed,  // it is being closed, or has been closed
    failed,     // it is ready; the last command failed, or could not be run
  };
  State state() const;

  // How many commands have run and ended. Commands that were refused or could not be started do not count.
  std::uint64_t commands() const;

  enum class Begin { begun, busy, closed };

  // Begins a command. The thread that closes the session calls `abort` to stop the command. After Begin::begun, end()
  // must be called.
  Begin begin(std::function<void(std::string_view reason)> abort);

  enum class Ending { refused, not_started, succeeded, failed };
  void end(Ending ending);

  Background& background() { return background_; }
  // Lets the session's commands signal each other's processes even if they run in a sandbox.
  const std::shared_ptr<engine::SignalScope>& scope() const { return scope_; }
  // What the runner of the session's commands keeps for them. Only the thread of the running command may use this.
  std::shared_ptr<engine::SessionHold>& hold() { return hold_; }

  // Called after the session was closed by the plugin's shutdown. Gets the processes that could not be killed.
  std::function<void(const engine::ProcessesLeft& unkillable)> on_plugin_shutdown;

  // Stops the command that runs, waits for its end, and ends the background processes. Later commands are refused.
  // Returns the processes that could not be killed. Once `patience` is over, the grace period of the background
  // processes is cut short.
  engine::ProcessesLeft close(std::chrono::milliseconds grace, const engine::Patience* patience = nullptr);

 private:
  const SessionDetails details_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State last_ = State::idle;
  bool running_ = false;
  bool closed_ = false;
  bool aborting_ = false;  // abort_ is running; end() of the command that it stops waits until abort_ has returned
  std::uint64_t commands_ = 0;
  std::function<void(std::string_view)> abort_;
  Background background_;
  std::shared_ptr<engine::SessionHold> hold_;
  const std::shared_ptr<engine::SignalScope> scope_ = std::make_shared<engine::SignalScope>();
};

// Any thread may call any member.
class Sessions {
 public:
  Sessions() = default;
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  ~Sessions();

  // Makes a session from `details`, with an id and the time of its creation. nullptr: `most` sessions already exist.
  std::shared_ptr<Session> create(SessionDetails details, std::size_t most);

  // nullptr: no session has this id.
  std::shared_ptr<Session> find(std::string_view id) const;

  // Closes the session, and waits until nothing of it is left but `unkillable`. False: no session has this id, or
  // another thread is closing it. `patience`: see Session::close.
  bool close(std::string_view id, std::chrono::milliseconds grace, engine::ProcessesLeft& unkillable,
             const engine::Patience* patience = nullptr);

  // For tools without sessions, whose background processes are kept until the plugin's end.
  Background& background() { return background_; }

  Ptys& ptys() { return ptys_; }
  const Ptys& ptys() const { return ptys_; }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>, std::less<>> all_;
  std::map<std::string, std::shared_ptr<Session>, std::less<>> closing_;  // create() still counts them as open
  Background background_;
  Ptys ptys_;
};

// In the time format of the terminal tools' specification: 2025-10-13T12:34:56Z.
std::string to_iso_text(std::chrono::system_clock::time_point time);

}  // namespace wtool
