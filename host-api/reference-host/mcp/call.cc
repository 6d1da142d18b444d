#include "mcp/call.h"

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "mcp/message.h"
#include "mcp/server_tools.h"

namespace wtool::host::mcp {

namespace {

// More waiting calls than any client needs. Calls beyond this number are answered with an error.
constexpr std::size_t max_waiting = 1000;

thread_local Calls::Inside* innermost_inside = nullptr;

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
    : max_workers_(static_cast<std::size_t>(most)), max_wait_(max_wait), handlers_(std::move(handlers)) {}

Calls::~Calls() { end("the server ends"); }

ClientCall* Calls::current() { return innermost_inside == nullptr ? nullptr : &innermost_inside->call(); }

Calls::Inside* Calls::innermost() { return innermost_inside; }

Calls::Inside::Inside(ClientCall& call) : call_(call), around_(std::exchange(innermost_inside, this)) {}

Calls::Inside::~Inside() { innermost_inside = around_; }

Calls::Added Calls::add(std::shared_ptr<ClientCall> call) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= max_waiting) return Added::too_many;
  // Starts a thread for the call, unless one is idle. Done before the call is queued, because a queued call without
  // a thread would wait forever.
  bool must_wait = false;
  try {
    if (idle_ <= waiting_.size()) {
      if (workers_.size() < max_workers_) {
        workers_.emplace_back([this] { work(); });
      } else {
        must_wait = true;
        start_timer();
      }
    }
  } catch (const std::system_error&) {
    if (workers_.empty()) return Added::no_thread;  // If there is a worker, it will run the call.
  }
  calls_.emplace(call->key, call);
  waiting_.push_back({std::move(call), Clock::now() + max_wait_});
  changed_.notify_one();
  if (must_wait) wake_timer(waiting_.back().until);
  return Added::yes;
}

bool Calls::contains(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return calls_.contains(key);
}

void Calls::cancel(const std::string& key, const std::string& reason) {
  std::shared_ptr<ClientCall> call;
  {
    const std::lock_guard lock(mutex_);
    const auto found = calls_.find(key);
    if (found == calls_.end()) return;
    call = found->second;
    calls_.erase(found);
    std::erase_if(waiting_, [&](const Waiting& one) { return one.call == call; });
  }
  call->stop.request(call->server_tool == nullptr ? StopHow::now : call->server_tool->when_cancelled, reason);
}

void Calls::end(const std::string& reason) {
  std::vector<Running> running;
  std::deque<Waiting> waiting;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting.swap(waiting_);
    running = running_;
    changed_.notify_all();
    time_changed_.notify_all();
  }
  for (const Running& one : running) one.call->stop.request(StopHow::now, reason);
  for (const Waiting& one : waiting) answer_now(*one.call, handlers_.drop(*one.call, reason));
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
  if (timer_.joinable()) timer_.join();
}

bool Calls::answer_now(ClientCall& call, std::string line) {
  std::shared_ptr<Batch> batch;
  {
    const std::lock_guard lock(mutex_);
    const auto asked = calls_.find(call.key);
    if (asked == calls_.end() || asked->second.get() != &call) return false;
    calls_.erase(asked);
    // A batch must not wait for a call that has been answered.
    batch = std::move(call.batch);
  }
  handlers_.send(batch, std::move(line));
  return true;
}

void Calls::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return ending_ || (!waiting_.empty() && !handlers_.is_full()); });
    --idle_;
    if (ending_) return;
    std::shared_ptr<ClientCall> call = std::move(waiting_.front().call);
    waiting_.pop_front();
    running_.push_back({call});
    lock.unlock();

    std::string line;
    try {
      const Inside inside(*call);
      line = handlers_.run(*call);
    } catch (const std::exception& e) {
      line = error_line(call->id, {internal_error, std::string("an internal error: ") + e.what()});
    }

    lock.lock();
    std::erase_if(running_, [&](const Running& one) { return one.call == call; });
    lock.unlock();
    answer_now(*call, std::move(line));
    call.reset();  // Released outside the mutex: the last call of a batch sends the batch.
    lock.lock();
  }
}

void Calls::resume() {
  const std::lock_guard lock(mutex_);
  for (Waiting& one : waiting_) one.until = Clock::now() + max_wait_;
  changed_.notify_all();
  time_changed_.notify_all();
}

void Calls::remind(ClientCall& call, Clock::time_point due) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(running_.begin(), running_.end(), [&](const Running& one) { return one.call.get() == &call; });
  if (found == running_.end() || ending_) return;
  try {
    start_timer();
  } catch (const std::system_error&) {
    return;  // Without the timer, the call is answered only when it ends.
  }
  found->due = std::min(found->due, due);
  wake_timer(due);
}

// Called with mutex_ held, like all functions below except keep_time().
void Calls::start_timer() {
  if (!timer_.joinable()) timer_ = std::thread([this] { keep_time(); });
}

// Wakes the thread only if it would sleep beyond `time`, so that not every call pays for a wake-up.
void Calls::wake_timer(Clock::time_point time) {
  if (time < timer_wakes_) time_changed_.notify_one();
}

// The first call of the queue has waited longest, so no other call has to be looked at.
std::shared_ptr<ClientCall> Calls::take_late(Clock::time_point now) {
  if (waiting_.empty() || now < waiting_.front().until || handlers_.is_full()) return nullptr;
  std::shared_ptr<ClientCall> call = std::move(waiting_.front().call);
  waiting_.pop_front();
  return call;
}

std::shared_ptr<ClientCall> Calls::take_due(Clock::time_point now) {
  const auto found = std::find_if(running_.begin(), running_.end(), [&](const Running& one) { return one.due <= now; });
  if (found == running_.end()) return nullptr;
  found->due = Clock::time_point::max();
  return found->call;
}

void Calls::wait_for_time(std::unique_lock<std::mutex>& lock) {
  timer_wakes_ = waiting_.empty() || handlers_.is_full() ? Clock::time_point::max() : waiting_.front().until;
  for (const Running& one : running_) timer_wakes_ = std::min(timer_wakes_, one.due);
  if (timer_wakes_ == Clock::time_point::max()) {
    time_changed_.wait(lock);
  } else {
    time_changed_.wait_until(lock, timer_wakes_);
  }
}

void Calls::keep_time() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const auto now = Clock::now();
    std::shared_ptr<ClientCall> late = take_late(now);
    std::shared_ptr<ClientCall> due = late ? nullptr : take_due(now);
    if (!late && !due) {
      wait_for_time(lock);
      continue;
    }
    lock.unlock();
    if (late) answer_now(*late, handlers_.refuse(*late));
    if (due) handlers_.due(*due);
    late.reset();  // Released outside the mutex: the last call of a batch sends the batch.
    due.reset();
    lock.lock();
  }
}

}  // namespace wtool::host::mcp
