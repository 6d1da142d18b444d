#include "mcp/call.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "mcp/message.h"

namespace wtool::host::mcp {

namespace {

// More than any client has use for; a client that asks without end is told to stop.
constexpr std::size_t max_waiting = 1000;

thread_local Call* current_call = nullptr;

}  // namespace

Batch::~Batch() {
  if (!answers_.empty()) send_('[' + answers_ + "]\n");
}

void Batch::add(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!answers_.empty()) answers_ += ',';
  answers_ += line.substr(0, line.size() - 1);
}

Calls::Calls(int most, std::chrono::milliseconds max_wait, Handlers handlers)
    : most_(static_cast<std::size_t>(most)), max_wait_(max_wait), handlers_(std::move(handlers)) {}

Calls::~Calls() { end("the server ends"); }

Call* Calls::current() { return current_call; }

Calls::Added Calls::add(std::shared_ptr<Call> call) {
  const std::lock_guard lock(mutex_);
  if (calls_.contains(call->key)) return Added::id_in_use;
  if (waiting_.size() >= max_waiting) return Added::too_many;
  // A thread that will serve it, unless there is one that has nothing to do. Before the call is in the queue: what
  // cannot be started must not wait there.
  try {
    if (idle_ <= waiting_.size()) {
      if (workers_.size() < most_) {
        workers_.emplace_back([this] { work(); });
      } else if (!refuser_.joinable()) {
        refuser_ = std::thread([this] { refuse_late(); });
      }
    }
  } catch (const std::system_error&) {
    if (workers_.empty()) return Added::too_many;  // There are others that will serve it.
  }
  calls_.emplace(call->key, call);
  waiting_.push_back({std::move(call), Clock::now() + max_wait_});
  changed_.notify_one();
  queue_changed_.notify_one();
  return Added::yes;
}

bool Calls::contains(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return calls_.contains(key);
}

void Calls::cancel(const std::string& key, const std::string& reason) {
  std::shared_ptr<Call> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(key);
    if (found == calls_.end()) return;
    call = found->second;
    calls_.erase(found);
    std::erase_if(waiting_, [&](const Waiting& one) { return one.call == call; });
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
    queue_changed_.notify_all();
  }
  for (const auto& call : running) call->stop.request(StopHow::now, reason);
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  if (refuser_.joinable()) refuser_.join();
}

// Where the client still wants it.
void Calls::answer(const std::shared_ptr<Call>& call, std::string line) {
  {
    const std::lock_guard lock(mutex_);
    const auto asked = calls_.find(call->key);
    if (asked == calls_.end() || asked->second != call) return;
    calls_.erase(asked);
  }
  handlers_.send(*call, std::move(line));
}

void Calls::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return !waiting_.empty() || ending_; });
    --idle_;
    if (ending_) return;
    std::shared_ptr<Call> call = std::move(waiting_.front().call);
    waiting_.pop_front();
    running_.push_back(call);
    lock.unlock();

    current_call = call.get();
    std::string line;
    try {
      line = handlers_.run(*call);
    } catch (const std::exception& e) {
      line = error_line(call->id, {internal_error, std::string("an internal error: ") + e.what()});
    }
    current_call = nullptr;

    lock.lock();
    std::erase(running_, call);
    lock.unlock();
    answer(call, std::move(line));
    call.reset();  // With the mutex free: it may be the last of a batch.
    lock.lock();
  }
}

// The first of the queue has waited longest.
void Calls::refuse_late() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    if (waiting_.empty()) {
      queue_changed_.wait(lock);
      continue;
    }
    const Clock::time_point until = waiting_.front().until;
    if (Clock::now() < until) {
      queue_changed_.wait_until(lock, until);
      continue;
    }
    std::shared_ptr<Call> call = std::move(waiting_.front().call);
    waiting_.pop_front();
    lock.unlock();
    std::string line = handlers_.refuse(*call);
    answer(call, std::move(line));
    call.reset();
    lock.lock();
  }
}

}  // namespace wtool::host::mcp
