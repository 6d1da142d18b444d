#include "call/pty_calls.h"

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <system_error>
#include <utility>

#include "audit/tracing.h"
#include "base/json.h"
#include "base/signal_name.h"
#include "call/call_record.h"
#include "call/session_calls.h"

namespace wtool {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view pty_log = "shell_tools::pty";

PtyEnd end_of(const CallResult& result) {
  PtyEnd end;
  if (const auto* error = std::get_if<CallError>(&result.outcome)) {
    end.how = error->message;
    return end;
  }
  const auto& outcome = std::get<engine::CommandOutcome>(result.outcome);
  end.how = engine::in_words(outcome.termination);
  if (const auto* exited = std::get_if<engine::Exited>(&outcome.termination)) end.exit_code = exited->status;
  if (const auto* signalled = std::get_if<engine::Signalled>(&outcome.termination)) {
    end.signal = signal_name(signalled->signal);
  }
  if (const auto* cancelled = std::get_if<engine::Cancelled>(&outcome.termination)) end.how += ": " + cancelled->reason;
  end.unkillable = outcome.unkillable;
  return end;
}

// How often a thread that waits for an answer checks for the deadline and for the end of its terminal.
constexpr std::chrono::milliseconds between_looks{50};

// Passes questions to the caller's thread, the only thread on which the host allows them.
class Relay : public ApprovalAsker {
 public:
  // `abort` stops the call that started the terminal, and withdraws its question. It is not called after close().
  Relay(const engine::Cancellation& terminal, std::function<void(std::string_view)> abort,
        Pty::Clock::time_point deadline)
      : terminal_(terminal), abort_(std::move(abort)), deadline_(deadline) {}

  // Called on the thread of the terminal.
  ApprovalReply ask(const ApprovalQuestion& question) override {
    std::unique_lock lock(mutex_);
    if (!closed_) question_ = &question;
    bool aborted = false;
    while (!changed_.wait_for(lock, between_looks, [this] { return reply_ || closed_; })) {
      const bool ending = terminal_.mode() != engine::Cancellation::Mode::none;
      if (!ending && Pty::Clock::now() < deadline_) continue;
      // The answer is no longer needed. Calling `abort_` is still safe, because the caller cannot return from close()
      // while this thread holds the lock.
      question_ = nullptr;
      if (abort_ && !aborted) abort_(ending ? terminal_.reason() : std::string(time_is_over));
      aborted = true;
      if (ending) break;
    }
    question_ = nullptr;
    return std::exchange(reply_, std::nullopt).value_or(ApprovalReply::unavailable);
  }

  // ---- Called on the thread of the caller.

  // The question that waits for an answer, if any.
  std::optional<ApprovalQuestion> question() {
    const std::lock_guard lock(mutex_);
    if (question_ == nullptr || reply_) return std::nullopt;
    return *question_;
  }

  void answer(ApprovalReply reply) {
    const std::lock_guard lock(mutex_);
    reply_ = reply;
    changed_.notify_all();
  }

  // Ends a waiting ask(), because the caller will answer no more questions.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  const engine::Cancellation& terminal_;
  const std::function<void(std::string_view)> abort_;
  const Pty::Clock::time_point deadline_;
  std::mutex mutex_;
  std::condition_variable changed_;
  const ApprovalQuestion* question_ = nullptr;
  std::optional<ApprovalReply> reply_;
  bool closed_ = false;
};

// What a program needs when it outlives the call that started it.
struct Carried {
  Carried(CommandRequest&& what, const CallContext& context, const Pty& pty)
      : request(std::move(what)),
        configuration(context.kept_configuration),
        traceparent(context.traceparent),
        limits(context.limits),
        relay(pty.cancellation(), context.abort, deadline_of(context)) {}

  const CommandRequest request;
  const std::shared_ptr<const Configuration> configuration;
  const std::string traceparent, limits;
  Relay relay;
  std::mutex mutex;
  std::optional<CallResult> result;
};

bool has_started_nothing(const CallResult& result) {
  const auto* outcome = std::get_if<engine::CommandOutcome>(&result.outcome);
  return outcome == nullptr || std::holds_alternative<engine::NotStarted>(outcome->termination);
}

bool is_cancelled(const CallContext& context) {
  return context.cancellation.mode() != engine::Cancellation::Mode::none;
}

CallError refused(const CommandRequest& request, CallError error, const char* rule, const CallContext& context) {
  const std::string command = make_plan(request, context.configuration).masker(request).masked(request.line);
  record_refusal(error, {{"command", command}, {"rule", rule}}, context);
  return error;
}

CallError cannot_be_made(const char* what, const std::system_error& problem) {
  return {"resource_exhausted", std::string("No ") + what + " can be made: " + problem.code().message(),
          "nothing was run; try again later"};
}

std::variant<CallError, std::shared_ptr<Pty>> make_terminal(const CommandRequest& request, screen::Size size,
                                                            CallContext& context) {
  const std::size_t most = context.configuration.pty_max;
  std::shared_ptr<Pty> pty;
  try {
    pty = context.sessions.ptys().create(request.line, size, context.configuration.pty_idle, most);
  } catch (const std::system_error& problem) {
    return refused(request, cannot_be_made("terminal", problem), "", context);
  }
  if (pty) return pty;
  return refused(
      request,
      {"session_limit", "There are " + std::to_string(most) + " terminals with running programs, which is the limit",
       "stop one with pty_stop, or raise pty.max in the configuration"},
      "pty.max", context);
}

// Starts the thread of the terminal, which runs the call.
std::variant<CallError, std::shared_ptr<Carried>> launch(CommandRequest request, Pty& pty, CallContext& context) {
  const auto forget = [&] {
    pty.fail();
    context.sessions.ptys().remove(pty.id());
  };
  std::shared_ptr<Carried> carried;
  try {
    request.terminal = &pty.terminal();
    request.labels.emplace_back("pty", pty.id());
    carried = std::make_shared<Carried>(std::move(request), context, pty);
    pty.run([carried, &pty, runner = context.runner, &sessions = context.sessions, tool = context.tool,
             call_id = context.call_id] {
      CallContext own{.runner = runner,
                      .sessions = sessions,
                      .configuration = *carried->configuration,
                      .cancellation = pty.cancellation(),
                      .tool = tool,
                      .call_id = call_id,
                      .approver = &carried->relay,
                      .kept_configuration = carried->configuration,
                      .traceparent = carried->traceparent,
                      .limits = carried->limits};
      CallResult result = execute_call(carried->request, own);
      PtyEnd end = end_of(result);
      const std::lock_guard lock(carried->mutex);
      carried->result = std::move(result);
      return end;
    });
  } catch (const std::system_error& problem) {
    forget();
    return refused(carried ? carried->request : request, cannot_be_made("thread", problem), "", context);
  } catch (...) {
    forget();
    throw;
  }
  return carried;
}

// Waits until the program has started, or will not start, and passes the questions of the terminal's thread to the
// person. False: the caller cancelled the start.
bool await_start(Pty& pty, Relay& relay, Pty::Clock::time_point deadline, CallContext& context) {
  bool cancelled = false;
  try {
    while (!pty.wait_for_start() && !is_cancelled(context)) {
      if (context.abort && Pty::Clock::now() >= deadline) context.abort(time_is_over);
      const auto question = relay.question();
      if (!question) continue;
      const ApprovalReply reply =
          context.approver == nullptr ? ApprovalReply::unavailable : context.approver->ask(*question);
      // A cancellation withdraws the question. The reply is then not an answer, and must not be treated as a refusal.
      if (!is_cancelled(context)) relay.answer(reply);
    }
    cancelled = is_cancelled(context);
    // No caller has received this terminal's name, so nobody could stop it later. The end is requested before close(),
    // so that the terminal's thread records a cancellation, and not a refusal for lack of an answer.
    if (cancelled) pty.request_end(engine::Cancellation::Mode::now, context.cancellation.reason());
  } catch (...) {
    pty.request_end(engine::Cancellation::Mode::now, "its start has failed");
    relay.close();
    context.sessions.ptys().remove(pty.id());
    throw;
  }
  relay.close();
  return !cancelled;
}

}  // namespace

CallError no_such_pty(std::string_view id) {
  return {
      "session_not_found", "There is no terminal " + dumped(Json(id)),
      "it was stopped, or never started here; pty_list lists the existing terminals. A terminal lives in the program "
      "that started it, such as `wtool mcp`; each `wtool call` is a separate program"};
}

Pty::Clock::time_point deadline_of(const CallContext& context) {
  return context.ceiling ? Pty::Clock::now() + *context.ceiling : Pty::Clock::time_point::max();
}

std::variant<CallError, StartedPty> start_pty(CommandRequest request, screen::Size size, CallContext& context) {
  const auto deadline = deadline_of(context);
  auto made = make_terminal(request, size, context);
  if (auto* error = std::get_if<CallError>(&made)) return std::move(*error);
  StartedPty started{.pty = std::get<std::shared_ptr<Pty>>(std::move(made)), .not_run = {}};
  Pty& pty = *started.pty;
  auto launched = launch(std::move(request), pty, context);
  if (auto* error = std::get_if<CallError>(&launched)) return std::move(*error);
  const auto carried = std::get<std::shared_ptr<Carried>>(std::move(launched));
  const bool cancelled = !await_start(pty, carried->relay, deadline, context);
  if (cancelled) pty.wait_end();
  const std::lock_guard lock(carried->mutex);
  if (carried->result && has_started_nothing(*carried->result)) started.not_run = std::move(carried->result);
  if (cancelled || started.not_run) {
    context.sessions.ptys().remove(pty.id());
  } else {
    context.sessions.ptys().make_room(context.configuration.pty_max);
  }
  return started;
}

std::optional<PtyEnd> stop_pty(std::string_view id, CallContext& context) {
  const auto deadline = deadline_of(context);
  const auto pty = context.sessions.ptys().find(id);
  if (!pty) return std::nullopt;
  pty->request_end(engine::Cancellation::Mode::graceful, context.tool);
  PtyEnd end = pty->wait_end(&context.cancellation, deadline);
  context.sessions.ptys().remove(id);
  return end;
}

std::string record_typing(const Pty& pty, std::size_t bytes, const CallContext& context) {
  audit::log(audit::Level::debug, pty_log, "typed",
             {audit::field("pty", pty.id()), audit::field("bytes", static_cast<std::int64_t>(bytes))},
             context.parent_span);
  if (!context.configuration.trail) return {};
  Json line = line_of(context, {{"pty", pty.id()}});
  line["bytes"] = bytes;
  return write_to_trail(context, "input", line, pty_log, context.parent_span);
}

}  // namespace wtool
