// The plugin's side of custody: the warden, started at the first call, and the pool of custodians.
//
//   WardenClient client("/usr/libexec/wtool/shell-warden");
//   Custodian custodian;
//   if (!client.acquire(custodian, patience, error)) return error;
//   ...                                           // start a command with it, and receive its report (engine/run.cc)
//   client.take_back(std::move(custodian), report);  // if it has reported, and its tree is empty
//   client.kill_tree(std::move(custodian), ...);     // in every other case
//
// Contract:
// - A custodian is taken for one call and given back. If anything about it is in doubt, it is ended with its tree.
// - No call waits for another call's command. One call starts the warden, without a lock and within its own time. Calls
//   that need the warden meanwhile wait for its start, each within its own time.
// - The pool grows when no idle custodian accepts the command; idle custodians beyond `max_idle` are retired.
// - A warden that serves no more calls is watched until it has ended, even if a command stops it.
// - The destructor returns only after all custodians and wardens have ended, or have been killed.
//
// Any thread may call any member.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/cancellation.h"
#include "engine/custodian.h"
#include "engine/warden_process.h"

namespace wtool::engine {

// The result of ending a custodian and its tree.
struct TreeEnd {
  bool certain = false;  // everything was seen to be dead, except for the unkillable processes
  ProcessesLeft unkillable;
  // If not `certain`: processes that may belong to the command. They began after the command did, and their parent is
  // gone.
  std::vector<ProcessName> suspects;
};

// Lets the sandboxed commands of one terminal session signal each other's processes and connect to each other's
// abstract sockets, but not to anybody else's. It has a scope keeper with a Landlock domain (warden/scope_keeper.h),
// and custodians in that domain. WardenClient fills and uses the object. Any thread may use it. If two calls use it at
// the same time, the second call gets a domain of its own.
class SignalScope {
 public:
  SignalScope() { idle_.reserve(max_idle); }
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;

 private:
  friend class WardenClient;
  // A session runs one command at a time.
  static constexpr std::size_t max_idle = 1;

  std::mutex mutex_;
  Custodian keeper_;  // without a socket until the first call, and while a call uses it
  std::vector<Custodian> idle_;
};

class WardenClient {
 public:
  explicit WardenClient(std::string warden_path) : warden_path_(std::move(warden_path)) { idle_.reserve(max_idle); }
  WardenClient(const WardenClient&) = delete;
  WardenClient& operator=(const WardenClient&) = delete;
  ~WardenClient();

  // Takes a custodian for one call. False with `error` if none can be started, or the patience is over.
  // `shared_filter`: a filter that the command can share with the custodian; empty: none. With `scope`, the command
  // runs in that scope, which needs a kernel whose Landlock has scopes.
  bool acquire(Custodian& custodian, const Patience& patience, CustodyError& error, std::string_view shared_filter = {},
               const std::shared_ptr<SignalScope>& scope = nullptr);

  // Gives back a custodian after the last report of its call.
  void take_back(Custodian custodian, const warden::Report& report);

  // Ends a custodian, and all processes of its call, which began at `began`. Waits for the end: a few milliseconds,
  // less than a second if keepers do not answer, and several seconds only if the kernel does not let processes die.
  TreeEnd kill_tree(Custodian custodian, std::uint64_t call, std::chrono::steady_clock::time_point began) noexcept;

  const std::string& warden_path() const { return warden_path_; }

 private:
  static constexpr std::size_t max_idle = 32;

  // Keeps an idle custodian for the next call.
  void release(Custodian custodian);

  enum class Found { custodian, warden, nothing, being_started };
  Found take(Custodian& custodian, bool idle_one, std::string_view shared_filter);
  bool take_idle(Custodian& custodian, std::string_view shared_filter);
  void note_turn(Custodian& custodian);
  bool start_warden(const Patience& patience, CustodyError& error);
  bool find(Custodian& custodian, int ruleset, std::string_view shared_filter, const Patience& patience,
            CustodyError& error);
  bool find_in(const std::shared_ptr<SignalScope>& scope, std::string_view shared_filter, Custodian& custodian,
               const Patience& patience, CustodyError& error);
  bool serves(const Custodian& custodian);
  bool spawn_custodian(const Custodian* keeper, int ruleset, Custodian& custodian, const Patience& patience,
                       CustodyError& error);
  void forget_warden();
  void give_up(const WardenProcess& warden);
  void see_to_ends() noexcept;

  // A warden that serves no more calls.
  struct Leaving {
    std::shared_ptr<WardenProcess> warden;
    std::chrono::steady_clock::time_point since;  // when its last call was seen
  };

  const std::string warden_path_;
  std::mutex mutex_;
  std::condition_variable started_;
  bool starting_ = false;
  std::shared_ptr<WardenProcess> warden_;
  std::vector<Custodian> idle_;  // The last in is the first out: its memory is the warmest.
  std::vector<Leaving> leaving_;
  std::uint64_t turn_ = 0;  // counts the custodians that were taken
  std::atomic<std::uint64_t> next_number_{1};
};

}  // namespace wtool::engine
