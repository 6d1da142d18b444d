// One service of a run, with two threads: one looks after the service, the other makes its call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "base/json.h"
#include "runner/actions.h"
#include "runner/run.h"

namespace wtool::host::runner {

// A call of the shell tool, with all values filled in.
struct ShellCall {
  nlohmann::json arguments;
  CallPlace place;
  const std::string& command() const { return arguments["command"].get_ref<const std::string&>(); }
};

struct PreparedService {
  ShellCall run;
  std::optional<ShellCall> ready;
  std::chrono::milliseconds ready_timeout = workflow::usual_ready_timeout;
  std::int64_t restart = 0;
  workflow::Backoff backoff{};  // of restarts
};

class Service {
 public:
  // Called at most once, on a thread of the service, when the service has been ready and then has failed for good.
  // `why` is a sentence about the failure. What the function refers to must outlive this object.
  using OnFailure = std::function<void(const std::string& why, LastStep last)>;

  // `scope`: the composite state whose end also ends the service; no_state: only the end of the run ends it. The
  // invocation must outlive this object.
  Service(Run& run, const Step& step, const WorkflowInvocation& invocation, std::size_t scope, OnFailure on_failure,
          PreparedService prepared);
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service();

  void begin();
  // Waits until the service is ready or has ended. If it has ended before it was ready, the result is a failure.
  ActionResult wait_until_ready(Stop& stop);
  // If the command has ended, waits until it is known whether the service has failed.
  void settle();
  // Ends the service. Returns when its call has ended, and with it all processes of the service.
  void end(const std::string& why);

  const Step& step() const { return step_; }
  const WorkflowInvocation& invocation() const { return invocation_; }
  std::size_t scope() const { return scope_; }

 private:
  // Of the service as a whole.
  enum class Phase { starting, ready, over };
  // Of its current call. The states from `ended` on are those of a call that is over.
  enum class Call {
    begins,
    started,          // the command runs, or has written something
    ended,            // after the service was asked to end
    ended_by_itself,  // before that
    is_repeated,      // it ended by itself, and there will be another one
  };
  struct CallEnd;

  void tell(const ServiceEvent& event);
  void attend() noexcept;
  void live();
  void begin_call(Stop& stop);
  void note_start(std::int64_t pid);
  bool command_has_ended() const;
  void join_caller();
  // With mutex_ held.
  bool call_is_over() const { return call_ >= Call::ended; }
  bool is_over() const { return call_is_over() || stopped_; }
  std::string await_ready();
  bool ask(std::chrono::milliseconds longest, std::string& answer, bool& is_final);
  void log(std::string_view bytes);
  void conclude(bool failed, const std::string& why);

  Run& run_;
  const Step step_;
  const WorkflowInvocation& invocation_;
  const std::size_t scope_;
  const OnFailure on_failure_;
  const PreparedService prepared_;
  const bool secret_;
  std::unique_ptr<OutputFile> log_;  // used by the thread that makes the call; by others only after that thread has
                                     // ended
  std::size_t logged_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  Phase phase_ = Phase::starting;
  Call call_ = Call::begins;
  std::int64_t pid_ = 0;            // of the command, on this machine; 0: not known
  bool stopped_ = false;            // the service was asked to end
  Stop* question_ = nullptr;        // ends the command of `ready`; nullptr: the command is not running
  std::optional<Outcome> refusal_;  // why the command of `ready` can never succeed
  Outcome end_;                     // of the last call
  std::string why_;                 // why the service has ended

  Stop stop_;
  Stop::Subscription wakes_;
  Stop::Subscription at_once_;
  std::thread caller_;
  std::thread thread_;
};

}  // namespace wtool::host::runner
