// One tools/call from its request to its answer, and the pool of threads that runs several calls at the same time.
//
// - Only a limited number of calls run at a time; the others wait in the order in which they came. A call that has
//   waited too long is refused. Threads are created when they are needed, and are kept.
// - While the output is full, no call begins, because its answer would need more memory. The time for which calls may
//   wait begins again afterwards.
// - A cancelled call is not answered. If it was waiting, it never begins; if it was running, it is stopped immediately,
//   or in the way that its tool defines.
// - A call may be answered before it has ended. It then keeps running on its thread. The client can no longer cancel
//   it, and its result is passed to the code that answered it.
// - A client may use the id of a call again as soon as the call is answered.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
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

// Collects the answers to the requests of a batch, and sends them as one array when the last owner releases the batch:
// by then all answers are known. Any thread may call any member.
class Batch {
 public:
  using Send = std::function<void(std::string)>;
  explicit Batch(Send send) : send_(std::move(send)) {}
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  // Adds an answer. `line` ends with its newline.
  void add(std::string_view line);

 private:
  const Send send_;
  std::mutex mutex_;
  std::string answers_;
};

struct ServerTool;

struct ClientCall {
  std::string id;                // JSON text
  std::string key;               // made from the id (Message::key)
  std::shared_ptr<Batch> batch;  // nullptr: the request came alone
  const ToolDescription* tool = nullptr;
  const ServerTool* server_tool = nullptr;  // the server's tool that answers the call; nullptr: the plugin's tool does
  std::string arguments;                    // JSON text of an object
  std::string progress_token;               // JSON text; empty: none
  std::string traceparent;                  // _meta.traceparent, W3C trace context; empty: none
  std::string client;                       // the client's name for itself; empty: it gives none
  std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();
  // Who is asked for an approval: nobody; the client, while the call waits; or the client, later, by the answer to the
  // call.
  enum class Asks { nobody, client, later };
  Asks asks = Asks::nobody;

  // Protocol 2025-11-25 only: whether the client wants a task, and for how many milliseconds the task is to be kept.
  bool wants_task = false;
  std::optional<std::int64_t> task_ttl;
  bool has_wrong_arguments = false;  // the call was refused because of them
  std::string task;                  // the identifier of the task, set before the tool begins
  std::atomic<int> open_forms = 0;   // forms that the client shows and that nobody has answered yet

  // Protocol 2026-07-28 only:
  struct Given {
    std::string fingerprint{};  // of the question that was answered
    Approval answer = Approval::unavailable;
  };
  bool speaks_2026 = false;
  LogLevel logs_from = LogLevel::off;  // the least level at which the client wants log records about this call
  // A call may ask from several threads. Each thread keeps `asking` locked from its first use of `given` or `question`
  // until its question is settled.
  std::mutex asking;
  std::vector<Given> given;          // answers to the questions of earlier calls; each is used once
  std::optional<Question> question;  // the question that could not be settled
  // When a question needs an answer, for a call that cannot become a job. Set before the tool begins.
  std::optional<std::chrono::steady_clock::time_point> answer_by;
  // For each question that the call waits for and that can be answered only in another terminal: how a person answers
  // it, and why it is asked. Any thread may use this list while it holds waits_mutex.
  std::mutex waits_mutex;
  std::list<std::string> waits;
  bool has_expired = false;  // nobody has answered one of these questions in time
  // What the tool wants to have kept until the question is answered. The call that brings the answer passes this text
  // back to the tool.
  std::string continues;

  Stop stop;
};

class Calls {
 public:
  struct Handlers {
    std::function<std::string(ClientCall&)> run;     // runs one call and returns the line that answers it
    std::function<std::string(ClientCall&)> refuse;  // returns the line for a call that has waited too long
    // Returns the line for a call that end() has removed before its turn came.
    std::function<std::string(ClientCall&, const std::string& reason)> drop;
    std::function<void(ClientCall&)> due;  // the time that was given to remind() has come
    std::function<void(const std::shared_ptr<Batch>&, std::string)> send;
    // True while the output is full. Called often, with a mutex held; resume() must be called when this has changed.
    std::function<bool()> is_full;
  };
  // `max_wait`: how long a call may wait for its turn.
  Calls(int most, std::chrono::milliseconds max_wait, Handlers handlers);
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls();  // Does the same as end().

  using Clock = std::chrono::steady_clock;

  // Calls handlers.due at the time `due`, on a separate thread, if the call is still running then. An earlier time that
  // was given before stays. Must be called on a thread that works for the call.
  void remind(ClientCall& call, Clock::time_point due);
  // Answers a running call. False: the call was already answered or cancelled. Any thread may call this while the call
  // runs.
  bool answer_now(ClientCall& call, std::string line);
  // Says that the output is no longer full. Any thread may call this.
  void resume();

  enum class Added {
    yes,
    too_many,   // calls are waiting
    no_thread,  // none is running, and none could be started
  };
  // Call the next four functions only on the thread that made this object.
  Added add(std::shared_ptr<ClientCall> call);  // whose key is not in use
  bool contains(const std::string& key) const;
  // Cancels the call with this key, and does not wait for its end. A key that is no longer in use is ignored.
  void cancel(const std::string& key, const std::string& reason);
  // Stops all running calls now and waits until they have ended. Waiting calls never begin, and are refused.
  void end(const std::string& reason);

  // The call that this thread works for, or nullptr. Any thread may call this.
  static ClientCall* current();
  // For as long as this object lives, the thread that made it works for the call.
  class Inside {
   public:
    explicit Inside(ClientCall& call);
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside();

    ClientCall& call() const { return call_; }
    // True if a question that was asked on this thread was left for a later call to answer.
    bool has_deferred() const { return has_deferred_; }
    void defer() { has_deferred_ = true; }

   private:
    ClientCall& call_;
    Inside* const around_;
    bool has_deferred_ = false;
  };
  static Inside* innermost();  // The innermost scope of this thread; nullptr: none.

 private:
  struct Waiting {
    std::shared_ptr<ClientCall> call;
    Clock::time_point until;
  };

  struct Running {
    std::shared_ptr<ClientCall> call;
    Clock::time_point due = Clock::time_point::max();
  };

  void work();
  void keep_time();
  void start_timer();
  std::shared_ptr<ClientCall> take_late(Clock::time_point now);
  std::shared_ptr<ClientCall> take_due(Clock::time_point now);
  void wait_for_time(std::unique_lock<std::mutex>& lock);
  void wake_timer(Clock::time_point time);

  const std::size_t max_workers_;
  const std::chrono::milliseconds max_wait_;
  const Handlers handlers_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;                           // for the threads that run calls
  std::condition_variable time_changed_;                      // for the thread that keeps time
  std::map<std::string, std::shared_ptr<ClientCall>> calls_;  // by key: the calls that still have to be answered
  std::vector<Running> running_;
  std::deque<Waiting> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> workers_;
  std::thread timer_;
  Clock::time_point timer_wakes_ = Clock::time_point::max();
};

}  // namespace wtool::host::mcp
