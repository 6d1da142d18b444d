#include "call/call.h"

#include <algorithm>
#include <exception>
#include <span>

#include "audit/tracing.h"
#include "call/call_record.h"

namespace wtool {

namespace {

// The error for the caller, in which the secrets of the command's line and environment are masked.
CallError masked(CallError error, const secrets::Masker& masker) {
  error.message = masker.masked(error.message);
  error.hint = masker.masked(error.hint);
  return error;
}

// False: the command cannot run, whatever the policy says about it.
bool is_by_policy(const CallError& error) {
  return error.code != "working_directory_invalid" && error.code != "resource_exhausted" &&
         error.code != "invalid_parameters";
}

CallError policy_error(const policy::Verdict& verdict) {
  return {"policy_denied", "Command refused: " + verdict.reason, verdict.hint};
}

CallError trail_error(const std::string& problem) {
  return {"policy_denied", problem, "no call runs unrecorded; to allow it, set audit.when_unwritable to continue"};
}

// What keeps this call's background processes after its end. nullptr: these processes are ended when the call ends.
Background* kept_in(const CommandRequest& request, CallContext& context) {
  if (request.interactive) return nullptr;
  if (request.session) return &request.session->background();
  return context.configuration.keep_background ? &context.sessions.background() : nullptr;
}

// Why the command's background processes were ended, although `background` usually keeps them; empty: there were none.
std::string why_not_kept(const engine::CommandOutcome& outcome, const CommandPlan& plan) {
  if (outcome.kept || outcome.background_count == 0) return {};
  if (plan.lifts_network) return "the network was opened for this call only";
  return "the processes of " + std::to_string(Background::max_commands) +
         " commands are kept already, which is the limit";
}

// Runs the plan's command. Returns an error if the command's sandbox is not available.
std::variant<CallError, engine::CommandOutcome> run(const CommandPlan& plan, const engine::RunOptions& options,
                                                    CallContext& context, CallResult& result) {
  engine::Sandbox* const sandbox = context.configuration.confinement.get();
  engine::SandboxReport report;
  auto ran = context.runner->run(plan.command, plan.directory.path, sandbox, options, context.cancellation,
                                 context.sink, report);
  const auto* outcome = std::get_if<engine::CommandOutcome>(&ran);
  const bool unknown = outcome != nullptr && (std::holds_alternative<engine::NoNode>(outcome->termination) ||
                                              std::holds_alternative<engine::NodeLost>(outcome->termination));
  if (sandbox != nullptr && !unknown) result.sandbox = std::move(report);
  if (auto* refusal = std::get_if<engine::SandboxRefusal>(&ran)) {
    return CallError{std::move(refusal->code), std::move(refusal->message), std::move(refusal->hint)};
  }
  return std::get<engine::CommandOutcome>(std::move(ran));
}

// A sink that passes states on to the caller. It adds the masked argv to the state `started`, which a runner reports
// without it, and drops a state that repeats the previous one.
engine::StateSink state_sink(const CommandPlan& plan, const CallRecord& record, const CallContext& context) {
  if (!context.state) return {};
  std::vector<std::string> argv = plan.command.arguments;
  for (std::string& argument : argv) argument = record.masker().masked(argument);
  return [&context, argv = std::move(argv),
          last = engine::CommandState{.name = engine::CommandState::Name::ended}](engine::CommandState state) mutable {
    using Name = engine::CommandState::Name;
    // The view of the reason may be kept, because all reasons are constants.
    if (last.name == state.name && last.reason == state.reason) return true;
    last = {.name = state.name, .reason = state.reason};
    if (state.name == Name::started) state.argv = argv;
    return context.state(state);
  };
}

// Passes the call's place in the caller's trace to the command in the variable TRACEPARENT, unless the caller has set
// that variable or a pattern of environment.deny matches it.
void set_trace(const CommandRequest& request, const CallContext& context, CommandPlan& plan) {
  constexpr std::string_view name = "TRACEPARENT";
  if (context.traceparent.empty()) return;
  const auto is_it = [&](const auto& variable) { return variable.first == name; };
  if (std::any_of(request.environment.begin(), request.environment.end(), is_it)) return;
  const auto& denied = context.configuration.environment.deny;
  if (std::any_of(denied.begin(), denied.end(), [&](const auto& one) { return policy::matches_pattern(one, name); }))
    return;
  policy::set_variable(plan.command.variables, name, context.traceparent);
}

audit::Fields span_fields(const CommandRequest& request, const CallContext& context, const CallResult& result) {
  audit::Fields fields{audit::field("tool", context.tool), audit::field("call_id", context.call_id),
                       audit::field("program", result.program), audit::field("directory", result.directory)};
  if (!context.traceparent.empty()) fields.push_back(audit::field("traceparent", context.traceparent));
  for (const auto& [key, value] : request.labels) fields.push_back(audit::field(key, value));
  return fields;
}

// One call, from its plan to its end.
class Execution {
 public:
  Execution(const CommandRequest& request, CallContext& context)
      : request_(request),
        context_(context),
        plan_(make_plan(request, context.configuration)),
        record_(request_, plan_, context_),
        span_(context.parent_span) {
    result_.time_limit = request.timeout.value_or(context.configuration.timeout_default);
    if (context.ceiling) result_.time_limit = std::min(result_.time_limit, *context.ceiling);
    result_.limits = context.configuration.limits;
    if (!plan_.error || is_by_policy(*plan_.error)) result_.verdict = plan_.verdict;
    result_.directory = plan_.directory.path;
  }

  CallResult result() {
    if (plan_.error) {
      refuse(*plan_.error);
      return std::move(result_);
    }
    result_.through_shell = plan_.through_shell;
    result_.program = plan_.command.arguments.front();
    const audit::Span span(context_.parent_span, "call",
                           audit::attached() ? span_fields(request_, context_, result_) : audit::Fields{});
    span_ = span.number();
    if (is_allowed() && record_start()) run_command();
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void refuse(const CallError& error) {
    result_.audit_error = record_.refused(error, span_);
    result_.outcome = masked(error, record_.masker());
  }

  // The caller has cancelled the call, or its time is over, while a person was asked. Nothing has begun, so neither a
  // start nor an end is put on record.
  void withdraw() {
    const std::string reason = context_.cancellation.reason();
    const bool is_late = reason == time_is_over;
    if (is_late && context_.ceiling) result_.time_limit = *context_.ceiling;
    result_.audit_error = record_.refused(is_late ? CallError{"timed_out", std::string(reason), {}}
                                                  : CallError{"aborted", "Command aborted: " + reason, {}},
                                          span_);
    engine::CommandOutcome outcome;
    if (is_late) {
      outcome.termination = engine::TimedOut{false};
    } else {
      outcome.termination = engine::Cancelled{reason, false};
    }
    result_.outcome = std::move(outcome);
  }

  // False: the command must not run; the result says why.
  bool is_allowed() {
    if (plan_.verdict.decision == policy::Decision::ask) return ask_person();
    if (plan_.verdict.decision == policy::Decision::allow) return true;
    refuse(policy_error(plan_.verdict));
    return false;
  }

  // False: nobody has allowed the command; the result says why.
  bool ask_person() {
    const auto asked = Clock::now();
    std::optional<AskerUntil> until;
    if (context_.approver != nullptr && context_.abort && context_.ceiling) {
      until.emplace(*context_.approver, context_.abort, begun_ + *context_.ceiling);
    }
    CallApproval approval = resolve_approval(request_, plan_, context_.configuration, context_.tool, context_.call_id,
                                             until ? &*until : context_.approver);
    waited_ += Clock::now() - asked;
    // An answer after the deadline starts nothing, whatever it is.
    const bool is_withdrawn = context_.cancellation.mode() != engine::Cancellation::Mode::none &&
                              (approval.answer == "unavailable" || context_.cancellation.reason() == time_is_over);
    if (is_withdrawn && approval.answer == "unavailable") approval.answer = "withdrawn";
    const std::string problem = record_.approval(approval, span_);
    result_.approval = approval;
    if (is_withdrawn) {
      withdraw();
    } else if (approval.refusal) {
      refuse(*approval.refusal);
    } else if (!problem.empty()) {
      refuse(trail_error(problem));
    } else {
      return true;
    }
    return false;
  }

  // False: the start cannot be recorded, so the command must not run; the result says why.
  bool record_start() {
    const auto begun = Clock::now();
    const std::string problem = record_.start(result_, span_);
    if (!problem.empty()) {
      refuse(trail_error(problem));
      return false;
    }
    waited_ += Clock::now() - begun;
    return true;
  }

  // `background`: see kept_in().
  engine::RunOptions options_for(Background* background) const {
    const Configuration& configuration = context_.configuration;
    engine::RunOptions options;
    options.deadline = begun_ + waited_ + result_.time_limit;
    options.time_limit = result_.time_limit;
    options.time_limit_named = request_.timeout.has_value();
    if (context_.ceiling) {
      options.latest = begun_ + *context_.ceiling;
      options.deadline = std::min(*options.deadline, *options.latest);
    }
    options.grace = configuration.grace;
    options.capture_bytes = request_.output_bytes.value_or(configuration.output_bytes);
    options.merged = request_.merged_output;
    if (request_.session) {
      options.scope = request_.session->scope();
      options.hold = &request_.session->hold();
    }
    options.lifts_network = plan_.lifts_network;
    // If the network was opened for this call only, no process may outlive the call and keep using it.
    options.keep = background != nullptr && background->has_room() && !plan_.lifts_network;
    options.terminal = request_.terminal;
    options.limits = result_.limits;
    options.spill = configuration.spill.when;
    options.spill_directory = configuration.spill_directory.get();
    options.name = context_.call_id;
    options.span = span_;
    options.call_limits = context_.limits;
    options.host_environment = request_.host_environment.get();
    options.state = state_sink(plan_, record_, context_);
    return options;
  }

  void run_command() {
    Background* const background = kept_in(request_, context_);
    const engine::RunOptions options = options_for(background);
    set_trace(request_, context_, plan_);
    const auto tell = [&](engine::CommandState::Name name) {
      if (!options.state || options.state({.name = name})) return;
      context_.cancellation.request(engine::Cancellation::Mode::graceful, "the receiver of the output asked to stop");
    };
    tell(engine::CommandState::Name::queued);
    try {
      result_.outcome = run(plan_, options, context_, result_);
    } catch (const std::exception& failure) {
      record_.failed(failure.what(), span_);  // The start is on record, so the end is, too.
      throw;
    }
    tell(engine::CommandState::Name::ended);
    if (const auto* outcome = std::get_if<engine::CommandOutcome>(&result_.outcome);
        outcome != nullptr && background != nullptr) {
      if (outcome->kept) background->keep(outcome->kept);
      result_.not_kept_because = why_not_kept(*outcome, plan_);
    }
    result_.audit_error = record_.end(result_, span_);
  }

  const Clock::time_point begun_ = Clock::now();
  // How long a person took to answer, and another process held the lock of the audit trail. This time does not count
  // towards the command's time limit.
  Clock::duration waited_ = Clock::duration::zero();
  const CommandRequest& request_;
  CallContext& context_;
  CommandPlan plan_;
  const CallRecord record_;
  std::uint64_t span_;  // the call's own, as soon as it has one
  CallResult result_;
};

}  // namespace

CallResult execute_call(const CommandRequest& request, CallContext& context) {
  return Execution(request, context).result();
}

}  // namespace wtool
