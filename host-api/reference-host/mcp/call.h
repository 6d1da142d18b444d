// One tools/call from its request to its answer, and the pool of threads that carries several through at once.
//
// - At most a number of calls run at once; others wait, in the order in which they came. Threads are made as they are
//   needed, and stay.
// - A call that is cancelled is not answered: one that waits never begins, one that runs is stopped now.
// - From the moment that a call is answered its id is free again.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "approval/approver.h"
#include "base/stop.h"
#include "loader/plugin.h"
#include "tracing/filter.h"

namespace wtool::host::mcp {

struct Call {
  std::string id;  // JSON text
  const ToolDescription* tool = nullptr;
  std::string arguments;       // JSON text of an object
  std::string progress_token;  // JSON text; empty: none
  // Who is asked when the call needs an approval: the client while the call waits, or in the call's answer.
  enum class Asks { nobody, client, later };
  Asks asks = Asks::nobody;

  // Only of protocol 2026-07-28:
  struct Given {
    std::string fingerprint;  // of the question
    Approval answer = Approval::unavailable;
  };
  bool speaks_2026 = false;
  LogLevel logs_from = LogLevel::off;  // what of the call's records the client wants
  std::optional<Given> given;          // to a question of an earlier call
  std::optional<Question> question;    // that could not be settled, set on the call's thread

  Stop stop;
};

class Calls {
 public:
  // Carries one call through and gives the line that answers it.
  using Run = std::function<std::string(Call&)>;
  using Send = std::function<void(std::string)>;
  Calls(int most, Run run, Send send);
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;
  ~Calls();  // As end.

  enum class Added { yes, id_in_use, too_many };
  // All below: the thread that made this object.
  Added add(std::shared_ptr<Call> call);
  // Never waits. An id that is not there any more is ignored.
  void cancel(const std::string& id, const std::string& reason);
  // Stops all that runs, now, and waits for its end; what waits never begins, and is not answered.
  void end(const std::string& reason);

  // The call that this thread is inside of; nullptr: none. Any thread.
  static Call* current();

 private:
  void work();

  const std::size_t most_;
  const Run run_;
  const Send send_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Call>> calls_;  // by id, those that are to be answered
  std::vector<std::shared_ptr<Call>> running_;
  std::deque<std::shared_ptr<Call>> waiting_;
  std::size_t idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace wtool::host::mcp
