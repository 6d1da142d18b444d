#include "mcp/call_tools.h"

#include <atomic>
#include <condition_variable>

#include "approval/once.h"
#include "base/json.h"
#include "base/sha256.h"

namespace wtool::host::mcp {

namespace {

// Numbers the questions that this file asks. A plugin numbers its questions from 1, so no number is used twice.
std::atomic<std::uint64_t> last_question{std::uint64_t{1} << 63};

ToolOutcome not_begun() {
  return {ToolOutcome::Kind::cancelled,
          {{"content", nlohmann::json::array()}, {"is_error", true}, {"metadata", nlohmann::json::object()}},
          ""};
}

}  // namespace

ToolOutcome CallTools::call(std::string_view id, const nlohmann::json& arguments, Stop& stop,
                            const OutputSink& output) {
  return call_at({}, id, arguments, stop, output, nullptr);
}

ToolOutcome CallTools::call_at(const CallPlace& place, std::string_view id, const nlohmann::json& arguments, Stop& stop,
                               const OutputSink& output, const StateSink& state) {
  {
    const std::lock_guard lock(mutex_);
    if (is_suspended_) return not_begun();
    ++running_;
  }
  const Calls::Inside inside(call_);
  const auto end = [&] {
    const std::lock_guard lock(mutex_);
    --running_;
    is_suspended_ = is_suspended_ || inside.has_deferred();
    stop_when_idle();
  };
  ToolOutcome outcome;
  try {
    outcome = tools_.call_at(place, id, arguments, stop, output, state);
  } catch (...) {
    end();
    throw;
  }
  end();
  return inside.has_deferred() ? not_begun() : outcome;
}

std::optional<bool> CallTools::confirm(const std::string& question, Stop& stop) {
  Question asked;
  asked.id = ++last_question;
  asked.tool = call_.tool->id;
  asked.subject = dumped(nlohmann::json{{"question", question}, {once_member, true}});
  asked.fingerprint = sha256(asked.tool + '\n' + question);
  Approval answer = Approval::unavailable;
  {
    const Stop::Subscription listening = stop.subscribe([&](const StopRequest&) { approver_.withdraw(asked.id); });
    const Calls::Inside inside(call_);
    answer = approver_.ask(asked);
  }
  switch (answer) {
    case Approval::yes:
      return true;
    case Approval::no:
    case Approval::always:  // The question offers neither of these two, so they are no agreement.
    case Approval::never:
      return false;
    case Approval::unavailable:
    case Approval::expired:
      return std::nullopt;
    case Approval::deferred:
      break;
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool is_stopped = false;
  const Stop::Subscription listening = stop.subscribe([&](const StopRequest&) {
    const std::lock_guard lock(mutex);
    is_stopped = true;
    changed.notify_all();
  });
  {
    const std::lock_guard lock(mutex_);
    is_suspended_ = true;
    stop_when_idle();
  }
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return is_stopped; });
  return std::nullopt;
}

bool CallTools::is_suspended() const {
  const std::lock_guard lock(mutex_);
  return is_suspended_;
}

void CallTools::stop_when_idle() {
  if (is_suspended_ && running_ == 0) stop_.request(StopHow::now, "a person must be asked first");
}

}  // namespace wtool::host::mcp
