// Reports to the client how its calls proceed: the last line that the command wrote, and that it is still running.
//
// - Sends at most ten messages a second for each call, and one every few seconds when nothing happens, for clients that
//   would give up without any message. Of several reports that come too soon, only the newest is sent, later.
// - The progress number is the milliseconds since the call began, and always grows.
// - After the reports of a call have ended, nothing more is sent for it.
// - A message that a client does not read in time is replaced by the next one.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "loader/tool_caller.h"
#include "mcp/output.h"
#include "mcp/output_store.h"

namespace wtool::host::mcp {

class CallProgress {
  struct State;

 public:
  explicit CallProgress(Output& output);
  CallProgress(const CallProgress&) = delete;
  CallProgress& operator=(const CallProgress&) = delete;
  ~CallProgress();

  // The reports of one call, from its beginning to its end. `token` is JSON text; empty if the client wants no reports.
  class Reports {
   public:
    Reports(CallProgress& progress, std::string token);
    Reports(const Reports&) = delete;
    Reports& operator=(const Reports&) = delete;
    ~Reports();
    // Takes a piece of output, which may be cut anywhere. Only one thread may call this.
    void take(OutputStream stream, std::string_view bytes);
    // Takes what the tool reports about its command: it waits for a node, runs on one, or is being stopped. Only the
    // same thread may call this.
    void take(const CallState& state);
    // After this, nothing more is sent. Any thread may call this.
    void end();
    // All output that is taken is also copied to `output`, even after end(). Call this before the first take().
    void copy_to(std::shared_ptr<StoredOutput> output) { copy_ = std::move(output); }
    // True if anybody receives the output.
    bool are_wanted() const { return copy_ != nullptr || is_asked_for_; }

   private:
    CallProgress& progress_;
    const bool is_asked_for_;
    std::shared_ptr<StoredOutput> copy_;
    std::list<State>::iterator state_;
  };

 private:
  using Clock = std::chrono::steady_clock;
  struct State {
    std::string token;
    Clock::time_point began;
    Clock::time_point due;  // when the next message is due
    Clock::time_point soonest;
    long long last = -1;
    std::string line;        // the last complete line, or the beginning of one
    std::string begun[2]{};  // for each stream, the line that has no end yet
  };

  void run();
  void report(State& state, Clock::time_point now);

  Output& output_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<State> states_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace wtool::host::mcp
