#include "runner/service.h"

#include <signal.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <utility>

namespace wtool::host::runner {

namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A service without `ready` is considered ready after it has run this long: a command that does not exist, or is wrong,
// has ended by then.
constexpr milliseconds settling{250};
// The first pause between two checks of whether a service is ready; each pause is twice the one before.
constexpr milliseconds first_pause{50};
constexpr milliseconds max_pause{1000};
constexpr std::size_t max_log = 64UL * 1024 * 1024;  // bytes

std::string last_line(const Outcome& outcome) {
  for (const std::string* text : {&outcome.standard_error, &outcome.standard_output}) {
    const std::size_t end = text->find_last_not_of(" \t\r\n");
    if (end == std::string::npos) continue;
    const std::size_t begin = text->rfind('\n', end);
    const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
    return text->substr(from, end + 1 - from);
  }
  return "";
}

std::string how_it_ended(const Outcome& outcome, bool secret) {
  std::string text = outcome.error.empty() ? "exit code " + std::to_string(outcome.exit_code) : outcome.message;
  // Its step has the exit code 1 then, because a condition takes 0 for a success.
  if (outcome.error.empty() && outcome.exit_code == 0) {
    text += ", which counts as a failure with exit code 1, because a service keeps running";
  }
  const std::string line = secret ? "" : last_line(outcome);
  if (!line.empty()) text += "; it last wrote " + expressions::quoted_for_message(line);
  return text;
}

bool cannot_succeed_later(const ToolOutcome& call, const Outcome& outcome) {
  return call.kind == ToolOutcome::Kind::not_made || is_refusal(outcome) || outcome.error == "invalid_parameters" ||
         outcome.error == "configuration_invalid";
}

}  // namespace

Service::Service(Run& run, const Step& step, const WorkflowInvocation& invocation, std::size_t scope,
                 OnFailure on_failure, PreparedService prepared)
    : run_(run),
      step_(step),
      invocation_(invocation),
      scope_(scope),
      on_failure_(std::move(on_failure)),
      prepared_(std::move(prepared)),
      secret_(gives_secrets(step)) {
  // The flag is set under the lock, so that no thread can check it too early and begin to wait after the notification.
  wakes_ = stop_.subscribe([this](const StopRequest&) {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  });
  // When the run is to stop immediately, services get no graceful end.
  at_once_ = run.stop().subscribe([this](const StopRequest& request) {
    if (request.how == StopHow::now) stop_.request(request.how, request.reason);
  });
  RunOutputStore* const store = run.request().services.outputs;
  if (store == nullptr) return;
  std::string name = (step.branch.empty() ? "main" : step.branch) + "-" + std::to_string(step.sequence) + ".service";
  if (step.tries > 1) name += ".try" + std::to_string(step.tries);
  log_ = store->create(name + ".log", secret_, RunOutputStore::Earlier::kept);
}

Service::~Service() { end("the service is no longer needed"); }

void Service::begin() {
  thread_ = std::thread([this] { attend(); });
}

ActionResult Service::wait_until_ready(Stop& stop) {
  {
    const Stop::Subscription listening =
        stop.subscribe([this](const StopRequest& request) { stop_.request(request.how, request.reason); });
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return phase_ != Phase::starting; });
  }
  // Asked before this lock is taken: a Stop holds its own lock while it calls this object, which then takes this one.
  const auto request = stop.requested();
  ActionResult result;
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::ready) {
    result.outcome.message = "The service is ready";
    return result;
  }
  result.outcome = end_;
  result.outcome.is_error = true;
  result.outcome.aborted = false;
  result.outcome.message = why_;
  if (result.outcome.exit_code == 0) result.outcome.exit_code = 1;
  result.refused = is_refusal(end_);
  result.fatal = end_.error == "configuration_invalid";
  if (request) {
    result.outcome.aborted = true;
    result.outcome.exit_code = 130;
    result.outcome.message = request->reason;
  }
  return result;
}

void Service::settle() {
  std::unique_lock lock(mutex_);
  if (!call_is_over() && command_has_ended()) changed_.wait_for(lock, settling, [this] { return is_over(); });
  changed_.wait(lock,
                [this] { return phase_ == Phase::over || !call_is_over() || stopped_ || call_ == Call::is_repeated; });
}

void Service::end(const std::string& why) {
  settle();
  stop_.request(StopHow::graceful, why);
  if (thread_.joinable()) thread_.join();
}

// Makes sure that the call ends before its Stop is destroyed, whatever happens.
struct Service::CallEnd {
  Service& service;
  Stop& stop;
  ~CallEnd() {
    if (!service.caller_.joinable()) return;
    stop.request(StopHow::graceful, "the service cannot be supervised");
    service.join_caller();
  }
};

void Service::tell(const ServiceEvent& event) { run_.observer().service(step_, event); }

void Service::attend() noexcept {
  try {
    live();
  } catch (const std::exception& error) {
    join_caller();
    conclude(true, std::string("the service cannot be supervised: ") + error.what());
  }
}

void Service::live() {
  for (std::int64_t again = 0;; ++again) {
    const auto began = steady_clock::now();
    tell({.kind = ServiceEvent::Kind::started});
    ChildStop life(stop_);
    const CallEnd call_end{*this, life.stop()};
    begin_call(life.stop());
    std::string why = await_ready();
    const bool was_ready = why.empty();
    if (was_ready) {
      tell({.kind = ServiceEvent::Kind::ready,
            .message = "after " + workflow::duration_words(
                                      std::chrono::duration_cast<milliseconds>(steady_clock::now() - began))});
      const std::lock_guard lock(mutex_);
      if (phase_ == Phase::starting) phase_ = Phase::ready;
      changed_.notify_all();
    } else {
      life.stop().request(StopHow::graceful, why);
    }
    join_caller();
    if (call_ == Call::ended) return conclude(false, stop_.requested()->reason);
    if (was_ready) why = "the service ended by itself: " + how_it_ended(end_, secret_);
    const bool over = phase_ == Phase::starting || again == prepared_.restart || is_refusal(end_);
    if (over) return conclude(true, why);
    {
      const std::lock_guard lock(mutex_);
      call_ = Call::is_repeated;
      changed_.notify_all();
    }
    const milliseconds wait = std::min<milliseconds>(
        prepared_.backoff.first * (1LL << std::min<std::int64_t>(again, 20)), prepared_.backoff.longest);
    tell({.kind = ServiceEvent::Kind::restarting,
          .failed = true,
          .exit_code = end_.exit_code,
          .message = why + "; if it is still needed in " + workflow::duration_words(wait) + ", it is restarted (" +
                     std::to_string(again + 1) + " of " + std::to_string(prepared_.restart) + ")"});
    if (!wait_until(steady_clock::now() + wait, stop_)) return conclude(false, stop_.requested()->reason);
  }
}

void Service::begin_call(Stop& stop) {
  {
    const std::lock_guard lock(mutex_);
    call_ = Call::begins;
    pid_ = 0;
  }
  json arguments = prepared_.run.arguments;
  arguments["timeout"] =
      std::min(run_.request().services.timeout_max.value_or(workflow::max_timeout), workflow::max_timeout);
  caller_ = std::thread([this, &stop, arguments = std::move(arguments)] {
    ToolOutcome outcome;
    try {
      outcome = run_.request().tools.call_lasting(
          prepared_.run.place, workflow::shell_tool, arguments, stop,
          [this](OutputStream stream, std::string_view bytes) {
            log(bytes);
            run_.observer().output(step_, stream == OutputStream::standard_error, bytes);
            // Not every tool reports states, but a command that writes has started.
            note_start(0);
          },
          [this](const CallState& state) {
            if (state.state == "started") note_start(state.pid);
          });
    } catch (const std::exception& error) {
      outcome = {ToolOutcome::Kind::not_made, nullptr, error.what()};
    }
    const std::lock_guard lock(mutex_);
    end_ = to_outcome(outcome);
    call_ = stopped_ ? Call::ended : Call::ended_by_itself;
    if (question_ != nullptr) question_->request(StopHow::now, "the service has ended");
    changed_.notify_all();
  });
}

void Service::note_start(std::int64_t pid) {
  const std::lock_guard lock(mutex_);
  if (pid > 0) pid_ = pid;
  if (call_ != Call::begins) return;
  call_ = Call::started;
  changed_.notify_all();
}

void Service::join_caller() {
  if (caller_.joinable()) caller_.join();
}

// Waits until the service is ready. Returns why it is not; empty: it is.
std::string Service::await_ready() {
  const auto until = steady_clock::now() + prepared_.ready_timeout;
  {
    // Before the command has started, the command of `ready` could only reach some other service, such as one on the
    // same port.
    std::unique_lock lock(mutex_);
    if (!changed_.wait_until(lock, until, [this] { return is_over() || call_ != Call::begins; })) {
      return "the service was not ready after " + workflow::duration_words(prepared_.ready_timeout) +
             ": its command has not started";
    }
  }
  std::string answer;
  for (milliseconds pause = first_pause;; pause = std::min(2 * pause, max_pause)) {
    bool ready = !prepared_.ready.has_value();
    if (ready) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, settling, [this] { return is_over(); });
    } else {
      const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
      if (left <= milliseconds(0)) {
        return "the service was not ready after " + workflow::duration_words(prepared_.ready_timeout) + ": " +
               (answer.empty() ? "the command of `ready` has not ended yet" : "`ready` said: " + answer);
      }
      bool is_final = false;
      ready = ask(left, answer, is_final);
      if (is_final) return "the service cannot be asked whether it is ready: `ready` said: " + answer;
    }
    std::unique_lock lock(mutex_);
    // A command may have put itself into the background. Its call then lasts until the process that it left behind ends
    // or closes its outputs.
    if (ready && command_has_ended()) changed_.wait(lock, [this] { return is_over(); });
    if (call_is_over()) return "the service ended before it was ready: " + how_it_ended(end_, secret_);
    if (stopped_) return "the service was ended before it was ready";
    if (ready) return "";
    changed_.wait_for(lock, pause, [this] { return is_over(); });
  }
}

// With mutex_ held. False: the command runs, or this is not known.
bool Service::command_has_ended() const {
  return pid_ > 0 && ::kill(static_cast<pid_t>(pid_), 0) != 0 && errno == ESRCH;
}

// Runs the command of `ready` once, for at most `longest`, and returns whether it succeeded. If it failed, `answer` says
// how it ended, and `is_final` becomes true if asking again cannot help.
bool Service::ask(milliseconds longest, std::string& answer, bool& is_final) {
  ChildStop question(stop_);
  {
    const std::lock_guard lock(mutex_);
    if (is_over()) return false;
    question_ = &question.stop();
  }
  json arguments = prepared_.ready->arguments;
  if (const auto& most = run_.request().services.timeout_max) {
    longest = std::min<milliseconds>(longest, std::chrono::seconds(*most));
  }
  arguments["timeout"] = workflow::as_seconds(longest);
  const ToolOutcome call = run_.request().tools.call_at(prepared_.ready->place, workflow::shell_tool, arguments,
                                                        question.stop(), nullptr, nullptr);
  const Outcome outcome = to_outcome(call);
  {
    const std::lock_guard lock(mutex_);
    question_ = nullptr;
  }
  if (!outcome.is_error) return true;
  // The last try gets only the time that is left. If it times out, an earlier answer says more.
  if (outcome.error != "timed_out" || answer.empty()) answer = how_it_ended(outcome, secret_);
  is_final = cannot_succeed_later(call, outcome);
  if (is_final) {
    const std::lock_guard lock(mutex_);
    if (is_over()) return is_final = false;
    refusal_ = outcome;
  }
  return false;
}

void Service::log(std::string_view bytes) {
  if (log_ == nullptr || logged_ > max_log) return;
  logged_ += bytes.size();
  log_->write(logged_ <= max_log ? bytes : "\n[... the log of the service ends here, because it is too long ...]\n");
}

void Service::conclude(bool failed, const std::string& why) {
  ServiceEvent event{.kind = ServiceEvent::Kind::ended, .failed = failed, .message = why};
  if (log_ != nullptr) {
    const OutputFile::Written written = log_->finish();
    log_.reset();
    event.log = written.file;
    if (written.file.empty()) run_.observer().noticed(written.trouble);
  }
  LastStep last;
  bool was_ready = false;
  {
    const std::lock_guard lock(mutex_);
    was_ready = phase_ == Phase::ready;
    if (refusal_) end_ = std::move(*refusal_);
    event.exit_code = end_.exit_code;
    last = {step_.of().id, prepared_.run.command(), end_};
  }
  tell(event);
  const std::string told = why + (failed && !event.log.empty() ? "; its output is in " + event.log : "");
  last.outcome.is_error = true;
  if (last.outcome.exit_code == 0) last.outcome.exit_code = 1;
  last.outcome.message = told;
  if (failed && was_ready && on_failure_) {
    on_failure_("the service of the state '" + step_.of().id + "' has failed: " + told, std::move(last));
  }
  const std::lock_guard lock(mutex_);
  why_ = told;
  phase_ = Phase::over;
  changed_.notify_all();
}

}  // namespace wtool::host::runner
