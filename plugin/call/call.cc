#include "call/call.h"

#include <algorithm>
#include <exception>
#include <span>

#include "audit/tracing.h"
#include "call/call_record.h"

namespace wtool {

namespace {

// The error for the caller, in which the secrets of the command's line and environment are masked.
CallError masked(CallError error, const CommandPlan& plan, const CommandRequest& request) {
  const secrets::Masker masker = plan.masker(request);
  error.message = masker.masked(error.message);
  error.hint = masker.masked(error.hint);
  return error;
}

CallError policy_error(const policy::Verdict& verdict) {
  return {"policy_denied", "Command refused: " + verdict.reason, verdict.hint};
}

CallError trail_error(const std::string& problem) {
  return {"policy_denied", problem, "no call runs unrecorded; to allow it, set audit.when_unwritable to continue"};
}

// What keeps this call's background processes after its end. NULL: these processes are ended when the call ends.
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
engine::StateSink state_sink(const CommandPlan& plan, const CommandRequest& request, const CallContext& context) {
  if (!context.state) return {};
  std::vector<std::string> argv = plan.command.arguments;
  const secrets::Masker masker = plan.masker(request);
  for (std::string& argument : argv) argument = masker.masked(argument);
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
  const std::string head = std::string(name) + '=';
  std::erase_if(plan.command.variables, [&](const std::string& variable) { return variable.starts_with(head); });
  plan.command.variables.push_back(head + context.traceparent);
}

audit::Fields span_fields(const CommandRequest& request, const CallContext& context, const CallResult& result) {
  audit::Fields fields{audit::field("tool", context.tool), audit::field("call_id", context.call_id),
                       audit::field("program", result.program), audit::field("directory", result.directory)};
  if (!context.traceparent.empty()) fields.push_back(audit::field("traceparent", context.traceparent));
  for (const auto& [key, value] : request.labels) fields.push_back(audit::field(key, value));
  return fields;
}

}  // namespace

CallResult execute_call(const CommandRequest& request, CallContext& context) {
  const auto begun = std::chrono::steady_clock::now();
  CallResult result;
  result.time_limit = request.timeout.value_or(context.configuration.timeout_default);
  result.limits = context.configuration.limits;
  if (context.ceiling) result.time_limit = std::min(result.time_limit, *context.ceiling);

  CommandPlan plan = make_plan(request, context.configuration);
  const CallRecord record(request, plan, context);
  const auto refuse = [&](const CallError& error, std::uint64_t span) {
    result.audit_error = record.refused(error, span);
    result.outcome = masked(error, plan, request);
    return result;
  };
  result.verdict = plan.verdict;
  result.directory = plan.directory.path;
  if (plan.error) return refuse(*plan.error, context.parent_span);
  result.through_shell = plan.through_shell;
  result.program = plan.command.arguments.front();

  const audit::Span span(context.parent_span, "call",
                         audit::attached() ? span_fields(request, context, result) : audit::Fields{});
  if (plan.verdict.decision == policy::Decision::deny) return refuse(policy_error(plan.verdict), span.number());
  auto waited = std::chrono::steady_clock::duration::zero();
  if (plan.verdict.decision == policy::Decision::ask) {
    const auto asked = std::chrono::steady_clock::now();
    std::optional<AskerUntil> until;
    if (context.approver != nullptr && context.abort && context.ceiling) {
      until.emplace(*context.approver, context.abort, begun + *context.ceiling);
    }
    CallApproval approval = resolve_approval(request, plan, context.configuration, context.tool, context.call_id,
                                             until ? &*until : context.approver);
    waited = std::chrono::steady_clock::now() - asked;
    // The caller has cancelled the call, or its time is over, while a person was asked.
    const bool is_withdrawn =
        approval.answer == "unavailable" && context.cancellation.mode() != engine::Cancellation::Mode::none;
    if (is_withdrawn) approval.answer = "withdrawn";
    const std::string problem = record.approval(approval, span.number());
    result.approval = approval;
    if (is_withdrawn) {
      // Nothing has begun, so neither a start nor an end is put on record.
      const std::string reason = context.cancellation.reason();
      result.audit_error = record.refused({"aborted", "Command aborted: " + reason, {}}, span.number());
      engine::CommandOutcome outcome;
      if (reason == time_is_over) {
        outcome.termination = engine::TimedOut{false};
      } else {
        outcome.termination = engine::Cancelled{reason, false};
      }
      result.outcome = std::move(outcome);
      return result;
    }
    if (approval.refusal) return refuse(*approval.refusal, span.number());
    if (!problem.empty()) return refuse(trail_error(problem), span.number());
  }

  const auto recorded = std::chrono::steady_clock::now();
  if (const std::string problem = record.start(result, span.number()); !problem.empty()) {
    return refuse(trail_error(problem), span.number());
  }
  waited += std::chrono::steady_clock::now() - recorded;
  engine::RunOptions options;
  // The time that a person takes to answer does not count towards the command's time limit, nor the time for which
  // another process holds the lock of the audit trail.
  options.deadline = begun + waited + result.time_limit;
  options.time_limit = result.time_limit;
  options.time_limit_named = request.timeout.has_value();
  if (context.ceiling) {
    options.latest = begun + *context.ceiling;
    options.deadline = std::min(*options.deadline, *options.latest);
  }
  options.grace = context.configuration.grace;
  options.capture_bytes = request.output_bytes.value_or(context.configuration.output_bytes);
  options.merged = request.merged_output;
  Background* const background = kept_in(request, context);
  if (request.session) {
    options.scope = request.session->scope();
    options.hold = &request.session->hold();
  }
  options.lifts_network = plan.lifts_network;
  // If the network was opened for this call only, no process may outlive the call and keep using it.
  options.keep = background != nullptr && background->has_room() && !plan.lifts_network;
  options.terminal = request.terminal;
  options.limits = result.limits;
  options.spill = context.configuration.spill.when;
  options.spill_directory = context.configuration.spill_directory.get();
  options.name = context.call_id;
  options.span = span.number();
  options.call_limits = context.limits;
  options.state = state_sink(plan, request, context);
  set_trace(request, context, plan);
  const auto tell = [&](engine::CommandState::Name name) {
    if (!options.state || options.state({.name = name})) return;
    context.cancellation.request(engine::Cancellation::Mode::graceful, "the receiver of the output asked to stop");
  };
  tell(engine::CommandState::Name::queued);
  try {
    result.outcome = run(plan, options, context, result);
  } catch (const std::exception& failure) {
    record.failed(failure.what(), span.number());  // The start is on record, so the end is, too.
    throw;
  }
  tell(engine::CommandState::Name::ended);
  if (const auto* outcome = std::get_if<engine::CommandOutcome>(&result.outcome);
      outcome != nullptr && background != nullptr) {
    if (outcome->kept) background->keep(outcome->kept);
    result.not_kept_because = why_not_kept(*outcome, plan);
  }
  result.audit_error = record.end(result, span.number());
  return result;
}

}  // namespace wtool
