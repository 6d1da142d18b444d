#include "call/call.h"

#include <algorithm>

#include "audit/tracing.h"
#include "call/call_record.h"

namespace wtool {

namespace {

// A message for the caller, without secrets from the words of the command.
CallError masked(CallError error, const Plan& plan, const CommandRequest& request) {
  const secrets::Masker masker = plan.masker(request);
  error.message = masker.masked(error.message);
  error.hint = masker.masked(error.hint);
  return error;
}

CallError policy_error(const policy::Verdict& verdict) {
  return {"policy_denied", "Command refused: " + verdict.reason, verdict.hint};
}

CallError trail_error(const std::string& problem) {
  return {"policy_denied", problem,
          "nothing is run that cannot be put on record; audit.when_unwritable can say otherwise"};
}

// Keeps the background processes of this call when it has ended; NULL: they are ended with it.
Background* kept_in(const CommandRequest& request, CallContext& context) {
  if (request.session) return &request.session->background();
  return context.configuration.keep_background ? &context.sessions.background() : nullptr;
}

// Runs what the plan says. An error: its sandbox is not available.
std::variant<CallError, engine::CommandOutcome> run(const Plan& plan, const engine::RunOptions& options,
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

audit::Fields span_fields(const CommandRequest& request, const CallContext& context, const CallResult& result) {
  audit::Fields fields{audit::field("tool", context.tool), audit::field("call_id", context.call_id),
                       audit::field("program", result.program), audit::field("directory", result.directory)};
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

  Plan plan = make_plan(request, context.configuration);
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
  if (plan.verdict.answer == policy::Answer::deny) return refuse(policy_error(plan.verdict), span.number());
  auto waited = std::chrono::steady_clock::duration::zero();
  if (plan.verdict.answer == policy::Answer::ask) {
    const auto asked = std::chrono::steady_clock::now();
    Approval approval =
        resolve_approval(request, plan, context.configuration, context.tool, context.call_id, context.approver);
    waited = std::chrono::steady_clock::now() - asked;
    const std::string problem = record.approval(approval, span.number());
    result.approval = approval;
    // If the call was cancelled meanwhile, the engine starts nothing and reports the cancellation.
    const bool cancelled = context.cancellation.mode() != engine::Cancellation::Mode::none;
    if (approval.refusal && !cancelled) return refuse(*approval.refusal, span.number());
    if (!problem.empty()) return refuse(trail_error(problem), span.number());
  }

  if (const std::string problem = record.start(result, span.number()); !problem.empty()) {
    return refuse(trail_error(problem), span.number());
  }
  engine::RunOptions options;
  // The time that a person takes to answer does not count as the command's.
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
  // A network that was opened for one call must not stay open for processes that outlive it.
  options.keep = background != nullptr && !request.interactive && background->has_room() && !plan.lifts_network;
  options.terminal = request.terminal;
  options.limits = result.limits;
  options.spill = context.configuration.spill.when;
  options.spill_directory = context.configuration.spill_directory.get();
  options.name = context.call_id;
  options.span = span.number();
  options.place = context.place;
  result.outcome = run(plan, options, context, result);
  if (const auto* outcome = std::get_if<engine::CommandOutcome>(&result.outcome); outcome != nullptr && outcome->kept) {
    background->keep(outcome->kept);
  }
  result.audit_error = record.end(result, span.number());
  return result;
}

}  // namespace wtool
