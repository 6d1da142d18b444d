#include "mcp/call.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "mcp/message.h"

namespace wtool::host::mcp {

namespace {

// More than any client has use for; a client that asks without end is told to stop.
constexpr std::size_t most_waiting = 1000;

thread_local Call* current_call = nullptr;

}  // namespace

Calls::Calls(int most, Run run, Send send)
    : most_(static_cast<std::size_t>(most)), run_(std::move(run)), send_(std::move(send)) {}

Calls::~Calls() { end("the server ends"); }

Call* Calls::current() { return current_call; }

Calls::Added Calls::add(std::shared_ptr<Call> call) {
  const std::lock_guard lock(mutex_);
  if (calls_.contains(call->id)) return Added::id_in_use;
  if (waiting_.size() >= most_waiting) return Added::too_many;
  // A thread that will serve it, unless there is one that has nothing to do. Before the call is in the queue: what
  // cannot be started must not wait there.
  if (idle_ <= waiting_.size() && threads_.size() < most_) {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      if (threads_.empty()) return Added::too_many;  // There are others that will serve it.
    }
  }
  calls_.emplace(call->id, call);
  waiting_.push_back(std::move(call));
  changed_.notify_one();
  return Added::yes;
}

void Calls::cancel(const std::string& id, const std::string& reason) {
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    call = found->second;
    calls_.erase(found);
    std::erase(waiting_, call);
  }
  call->stop.request(StopHow::now, reason);
}

void Calls::end(const std::string& reason) {
  std::vector<std::shared_ptr<Call>> running;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
    running = running_;
    changed_.notify_all();
  }
  for (const auto& call : running) call->stop.request(StopHow::now, reason);
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Calls::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return !waiting_.empty() || ending_; });
    --idle_;
    if (ending_) return;
    const std::shared_ptr<Call> call = std::move(waiting_.front());
    waiting_.pop_front();
    running_.push_back(call);
    lock.unlock();

    current_call = call.get();
    std::string answer;
    try {
      answer = run_(*call);
    } catch (const std::exception& e) {
      answer = error_line(call->id, {internal_error, std::string("an internal error: ") + e.what()});
    }
    current_call = nullptr;

    lock.lock();
    std::erase(running_, call);
    const auto asked = calls_.find(call->id);
    const bool is_wanted = asked != calls_.end() && asked->second == call;
    if (is_wanted) calls_.erase(asked);
    lock.unlock();
    if (is_wanted) send_(std::move(answer));
    lock.lock();
  }
}

}  // namespace wtool::host::mcp
