// One tools/call from its request to its answer, and the pool of threads that runs several at once.
//
// - The number of calls that run at once is limited; others wait, in the order in which they came. One that has waited
//   too long is answered with a refusal. Threads are made as they are needed, and stay.
// - A call that is cancelled is not answered. If it waits, it never begins; if it runs, it is stopped at once, or as
//   its tool defines.
// - A call may be answered before it has ended. It then keeps running on its thread. The client cannot cancel it any
//   more, and its result goes to the code that answered it.
// - The id of a call may be used again from the moment that it is answered.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "approval/question.h"
#include "base/stop.h"
#include "loader/plugin.h"
#include "tracing/tracing.h"

namespace wtool::host::mcp {

// Collects the answers to the requests of a batch, and sends them as one array when its last owner releases it, which
// is when the last answer is known. Any thread.
class Batch {
 public:
  using Send = std::function<void(std::string)>;
  explicit Batch(Send send) : send_(std::move(send)) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  // `line`: with its newline.
  void add(std::string_view line);

 private:
  const Send send_;
  std::mutex mutex_;
  std::string answers_;
};

struct ServerTool;

struct Call {
  std::string id;                // JSON text
  std::string key;               // of the id (Message::key)
  std::shared_ptr<Batch> batch;  // nullptr: the request came alone
  const ToolDescription* tool = nullptr;
  const ServerTool* server_tool = nullptr;  // that answers; nullptr: the plugin's tool does
  std::string arguments;                    // JSON text of an object
  std::string progress_token;               // JSON text; empty: none
  std::string client;                       // that asks, by the name that it gives itself; empty: it gives none
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  // Who is asked when the call needs an approval: the client while the call waits, or in the call's answer.
  enum class Asks { nobody, client, later };
  Asks asks = Asks::nobody;

  // Only of protocol 2025-11-25: the client wants a task, to be kept for so many milliseconds.
  bool wants_task = false;
  std::optional<std::int64_t> task_ttl;
  std::string task;                 // its identifier, from before the tool begins
  std::atomic<int> open_forms = 0;  // that the client shows, and has not answered

  // Only of protocol 2026-07-28:
  struct Given {
    std::string fingerprint{};  // of the question
    Approval answer = Approval::unavailable;
  };
  bool speaks_2026 = false;
  LogLevel logs_from = LogLevel::off;  // what of the call's records the client wants
  // A call may ask on several threads: `asking` is held while these two are touched until it is over.
  std::mutex asking;
  std::vector<Given> given;          // to questions of earlier calls, each once
  std::optional<Question> question;  // that could not be settled
  // What the tool has left with that question, and gets back with the call that brings the answer.
  std::string continues;

  Stop stop;
};

class Calls {
 public:
  struct Handlers {
    std::function<std::string(Call&)> run;     // carries one call through and gives the line that answers it
    std::function<std::string(Call&)> refuse;  // the line for a call that has waited too long
    std::function<void(Call&)> due;            // the time that it has asked to be reminded at has come
    std::function<void(const std::shared_ptr<Batch>&, std::string)> send;
  };
  // `max_wait`: for a turn.
  Calls(int most, std::chrono::milliseconds max_wait, Handlers handlers);
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls();  // As end.

  using Clock = std::chrono::steady_clock;

  // Has handlers.due called at that time, on a thread of its own, if the call still runs then. On the call's thread.
  void remind(Call& call, Clock::time_point due);
  // Answers a call that runs. False: it has been answered, or cancelled. Any thread that knows the call to run.
  bool answer_now(Call& call, std::string line);

  enum class Added { yes, id_in_use, too_many };
  // All below: the thread that made this object.
  Added add(std::shared_ptr<Call> call);
  bool contains(const std::string& key) const;
  // Never waits. A key that is not there any more is ignored.
  void cancel(const std::string& key, const std::string& reason);
  // Stops all that runs, now, and waits for its end; what waits never begins, and is not answered.
  void end(const std::string& reason);

  // The call that this thread works for; nullptr if there is none. Any thread.
  static Call* current();
  // Makes it that of a further thread that the call uses, for as long as this object lives.
  class Inside {
   public:
    explicit Inside(Call& call);
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside();

    Call& call() const { return call_; }
    // A question of this thread was left to be answered with another call.
    bool has_deferred() const { return has_deferred_; }
    void defer() { has_deferred_ = true; }

   private:
    Call& call_;
    Inside* const around_;
    bool has_deferred_ = false;
  };
  static Inside* innermost();  // of this thread; nullptr: none

 private:
  struct Waiting {
    std::shared_ptr<Call> call;
    Clock::time_point until;
  };

  struct Running {
    std::shared_ptr<Call> call;
    Clock::time_point due = Clock::time_point::max();
  };

  void work();
  void keep_time();
  void start_timer();
  std::shared_ptr<Call> take_late(Clock::time_point now);
  std::shared_ptr<Call> take_due(Clock::time_point now);
  void wait_for_time(std::unique_lock<std::mutex>& lock);
  void wake_timer(Clock::time_point time);

  const std::size_t most_;
  const std::chrono::milliseconds max_wait_;
  const Handlers handlers_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;                     // for those that work
  std::condition_variable time_changed_;                // for the one that keeps time
  std::map<std::string, std::shared_ptr<Call>> calls_;  // by key, those that are to be answered
  std::vector<Running> running_;
  std::deque<Waiting> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> workers_;
  std::thread timer_;
  Clock::time_point timer_wakes_ = Clock::time_point::max();
};

}  // namespace wtool::host::mcp
