#include "mcp/progress.h"

#include <algorithm>
#include <utility>

#include "base/escape.h"
#include "base/json.h"
#include "mcp/message.h"

namespace wtool::host::mcp {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds between{100};
constexpr milliseconds sign_of_life{5000};
// How many bytes of a line are shown.
constexpr std::size_t max_line = 300;

constexpr std::string_view line_ends = "\r\n";

// Adds to an unfinished line. What exceeds the limit is not shown.
void add(std::string& line, std::string_view bytes) {
  line.append(bytes.substr(0, max_line - std::min(max_line, line.size())));
}

}  // namespace

CallProgress::CallProgress(Output& output) : output_(output), thread_([this] { run(); }) {}

CallProgress::~CallProgress() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

CallProgress::Reports::Reports(CallProgress& progress, std::string token)
    : progress_(progress), is_asked_for_(!token.empty()) {
  const std::lock_guard lock(progress_.mutex_);
  const auto now = Clock::now();
  state_ = progress_.states_.insert(
      progress_.states_.end(),
      State{.token = std::move(token), .began = now, .due = now + sign_of_life, .soonest = now, .line = {}});
  if (!state_->token.empty()) progress_.changed_.notify_one();
}

CallProgress::Reports::~Reports() {
  const std::lock_guard lock(progress_.mutex_);
  progress_.states_.erase(state_);
}

void CallProgress::Reports::end() {
  const std::lock_guard lock(progress_.mutex_);
  state_->token.clear();
}

void CallProgress::Reports::take(const CallState& state) {
  std::string line;
  if (state.waits_for_node()) line = "waits for a node";
  if (state.state == "started" && !state.node.empty()) line = "runs on " + state.node;
  if (state.state == "stopping") line = "is being stopped" + (state.reason.empty() ? "" : ": " + state.reason);
  if (line.empty()) return;
  const std::lock_guard lock(progress_.mutex_);
  if (state_->token.empty()) return;
  state_->line = std::move(line);
  state_->due = std::min(state_->due, std::max(Clock::now(), state_->soonest));
  progress_.changed_.notify_one();
}

void CallProgress::Reports::take(OutputStream stream, std::string_view bytes) {
  if (bytes.empty()) return;
  if (copy_ != nullptr) copy_->add(stream, bytes);
  const std::lock_guard lock(progress_.mutex_);
  if (state_->token.empty()) return;
  std::string& begun = state_->begun[stream == OutputStream::standard_output ? 0 : 1];
  // Only one line is shown: the last complete line that is not empty or, if the piece completes no line, the unfinished
  // line. So earlier lines of the piece need not be examined.
  const std::size_t ends = bytes.find_last_of(line_ends);
  if (ends == std::string_view::npos) {
    add(begun, bytes);
    state_->line = begun;
  } else {
    const std::string_view lines = bytes.substr(0, ends);
    const std::size_t last = lines.find_last_not_of(line_ends);
    const std::size_t before = last == std::string_view::npos ? last : lines.find_last_of(line_ends, last);
    if (before != std::string_view::npos) begun.clear();
    if (last != std::string_view::npos) add(begun, lines.substr(before + 1, last - before));
    if (!begun.empty()) state_->line = std::move(begun);
    begun.clear();
    add(begun, bytes.substr(ends + 1));
  }
  if (state_->line.empty()) return;
  const auto due = std::max(Clock::now(), state_->soonest);
  if (due >= state_->due) return;
  state_->due = due;
  progress_.changed_.notify_one();
}

void CallProgress::report(State& state, Clock::time_point now) {
  const auto elapsed = std::chrono::duration_cast<milliseconds>(now - state.began).count();
  state.last = std::max<long long>(state.last + 1, elapsed);
  std::string params = R"({"progressToken":)" + state.token + R"(,"progress":)" + std::to_string(state.last);
  if (!state.line.empty()) params += R"(,"message":)" + dumped(nlohmann::json(escaped(state.line)));
  const bool sent = output_.send_notification(notification_line("notifications/progress", params + '}'));
  state.soonest = now + between;
  state.due = now + (sent ? sign_of_life : between);
}

void CallProgress::run() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    auto next = Clock::time_point::max();
    const auto now = Clock::now();
    for (State& state : states_) {
      if (state.token.empty()) continue;
      if (state.due <= now) report(state, now);
      next = std::min(next, state.due);
    }
    if (next == Clock::time_point::max()) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, next);
    }
  }
}

}  // namespace wtool::host::mcp
