#include "call/call_record.h"

#include <unistd.h>

#include <algorithm>

#include "audit/tracing.h"
#include "audit/trail.h"
#include "base/json.h"
#include "base/sha256.h"
#include "base/shell_quote.h"
#include "base/signal_name.h"
#include "base/text.h"

namespace wtool {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view call_log = "shell_tools::call";

audit::Level level_of(const engine::CommandOutcome& outcome) {
  if (std::holds_alternative<engine::Lost>(outcome.termination) || outcome.unkillable.count > 0)
    return audit::Level::error;
  // A caller that cancels a call expects it to end, and every service of a workflow ends by a cancellation.
  if (std::holds_alternative<engine::Exited>(outcome.termination) ||
      std::holds_alternative<engine::Cancelled>(outcome.termination)) {
    return audit::Level::info;
  }
  return audit::Level::warn;
}

void log_end(const engine::CommandOutcome& outcome, std::uint64_t span) {
  const audit::Level level = level_of(outcome);
  if (!audit::enabled(level, call_log)) return;
  audit::Fields fields{
      audit::field("duration_ms", static_cast<std::int64_t>(outcome.duration.count())),
      audit::field("stdout_bytes", static_cast<std::int64_t>(outcome.standard_output.bytes)),
      audit::field("stderr_bytes", static_cast<std::int64_t>(outcome.standard_error.bytes)),
  };
  if (outcome.resources) {
    const auto cpu = outcome.resources->user + outcome.resources->system;
    fields.push_back(audit::field("cpu_ms", std::chrono::duration_cast<std::chrono::milliseconds>(cpu).count()));
  }
  if (outcome.background_count > 0) {
    fields.push_back(audit::field(outcome.kept ? "background_processes_kept" : "background_processes_ended",
                                  static_cast<std::int64_t>(outcome.background_count)));
  }
  if (outcome.unkillable.count > 0)
    fields.push_back(audit::field("processes_left", static_cast<std::int64_t>(outcome.unkillable.count)));
  if (!outcome.node.empty()) {
    fields.push_back(audit::field("node", outcome.node));
    fields.push_back(audit::field("job", outcome.job));
  }
  if (!outcome.output_file.path.empty()) fields.push_back(audit::field("output_file", outcome.output_file.path));
  if (!outcome.output_file.error.empty()) {
    fields.push_back(audit::field("output_file_error", outcome.output_file.error));
  }
  audit::log(level, call_log, "command " + engine::in_words(outcome.termination), std::move(fields), span);
}

// Logs that a call ran with less protection than configured, that it changed protected names, or that it added files to
// a repository.
void log_sandbox(const engine::SandboxReport& report, std::uint64_t span) {
  // A command can make any number of files and repositories.
  static constexpr std::size_t most = 20;
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t i = 0; i < std::min(parts.size(), most); ++i) text += (i == 0 ? "" : "; ") + parts[i];
    return parts.size() <= most ? text : text + "; and " + std::to_string(parts.size() - most) + " more";
  };
  if (!report.not_enforced.empty()) {
    audit::log(audit::Level::warn, call_log, "the sandbox is not enforced as configured",
               {audit::field("not_enforced", joined(report.not_enforced))}, span);
  }
  if (!report.protected_changed.empty()) {
    audit::log(audit::Level::warn, call_log, "protected names were changed during the command",
               {audit::field("protected_changed", joined(report.protected_changed))}, span);
  }
  for (std::size_t i = 0; i < std::min(report.put_aside.size(), most); ++i) {
    const engine::PutAside& aside = report.put_aside[i];
    if (!aside.error.empty()) {
      audit::log(audit::Level::error, call_log, "what the command added to a repository could not be put aside",
                 {audit::field("path", aside.path), audit::field("error", aside.error)}, span);
      continue;
    }
    // A person may have made it while the command ran, and needs it back.
    audit::log(audit::Level::warn, call_log, "what the command added to a repository was put aside",
               {audit::field("path", aside.path), audit::field("to", aside.to),
                audit::field("undo", "mv -nT " + shell_quoted(aside.to) + ' ' + shell_quoted(aside.path))},
               span);
  }
}

// Adds to the audit trail's line `end` how the command has ended.
void add_ending(Json& line, const engine::Termination& how) {
  if (const auto* exited = std::get_if<engine::Exited>(&how)) {
    line["exit_code"] = exited->status;
  } else if (const auto* signalled = std::get_if<engine::Signalled>(&how)) {
    line["signal"] = signal_name(signalled->signal);
  } else {
    line["how"] = engine::in_words(how);
  }
  if (const auto* cancelled = std::get_if<engine::Cancelled>(&how)) line["abort_reason"] = cancelled->reason;
}

// The text of standard input is never recorded: it may be anything, so its secrets cannot be recognised.
void add_input(Json& line, const CommandRequest& request) {
  if (!request.standard_input) return;
  line["stdin_bytes"] = request.standard_input->size();
  line["stdin_sha256"] = sha256(*request.standard_input);
}

std::string write(const CallContext& context, std::string_view event, const Json& line, std::uint64_t span) {
  return write_to_trail(context, event, line, call_log, span);
}

}  // namespace

std::string write_to_trail(const CallContext& context, std::string_view event, const Json& line,
                           std::string_view target, std::uint64_t span) {
  audit::Trail& trail = *context.configuration.trail;
  std::string problem = trail.write(event, line);
  if (!problem.empty()) audit::log(audit::Level::error, target, problem, {}, span);
  if (trail.options().continue_when_unwritable) problem.clear();
  return problem;
}

// The process id is one of the keys because call ids are unique only within a host, and several hosts may write to one
// file.
Json line_of(const CallContext& context, const Labels& labels) {
  Json line{{"call", context.call_id}, {"host_pid", ::getpid()}, {"tool", context.tool}};
  if (!context.traceparent.empty()) line["traceparent"] = context.traceparent;
  if (!context.limits.empty()) line["limits"] = Json::parse(context.limits, nullptr, false);
  for (const auto& [key, value] : labels) line[key] = value;
  return line;
}

const secrets::Masker& CallRecord::masker() const {
  if (!masker_) masker_ = plan_.masker(request_);
  return *masker_;
}

std::string CallRecord::refused(const CallError& error, std::uint64_t span) const {
  audit::Fields fields{audit::field("tool", context_.tool), audit::field("call_id", context_.call_id),
                       audit::field("code", error.code), audit::field("rule", plan_.verdict.rule)};
  // A call that could not be planned has no span that would carry the labels, so they are added here.
  for (const auto& [key, value] : request_.labels) fields.push_back(audit::field(key, value));
  // A caller that cancels a call expects that nothing runs.
  const audit::Level level = error.code == "aborted" ? audit::Level::info : audit::Level::warn;
  audit::log(level, call_log, masker().masked(error.message), std::move(fields), span);
  if (!context_.configuration.trail) return {};
  Json line = line_of(context_, request_.labels);
  line["command"] = masker().masked(request_.line);
  line["directory"] = plan_.directory.path;
  add_input(line, request_);
  line["verdict"] = policy::to_text(plan_.verdict.decision);
  line["rule"] = plan_.verdict.rule;
  line["code"] = error.code;
  line["reason"] = masker().masked(error.message);
  return write(context_, "refusal", line, span);
}

std::string CallRecord::approval(const CallApproval& approval, std::uint64_t span) const {
  audit::Fields fields{audit::field("reason", masker().masked(plan_.verdict.reason)),
                       audit::field("rule", plan_.verdict.rule)};
  if (plan_.lifts_network) fields.push_back(audit::field("lifts", "network"));
  audit::log(audit::Level::info, call_log, "approval: " + approval.answer, std::move(fields), span);
  const bool for_good = approval.answer == "always" || approval.answer == "never";
  if (for_good && !approval.not_kept.empty()) {
    audit::log(audit::Level::warn, call_log, "the answer is not remembered: " + approval.not_kept, {}, span);
  }
  if (!context_.configuration.trail) return {};
  Json line = line_of(context_, request_.labels);
  line["command"] = masker().masked(request_.line);
  line["directory"] = plan_.directory.path;
  add_input(line, request_);
  line["answer"] = approval.answer;
  if (plan_.lifts_network) line["lifts"] = {"network"};
  line["rule"] = plan_.verdict.rule;
  line["fingerprint"] = approval.fingerprint;
  return write(context_, "approval", line, span);
}

std::string CallRecord::start(const CallResult& result, std::uint64_t span) const {
  // A call that was cancelled before it began starts nothing, so its start is not logged.
  const bool logged =
      context_.cancellation.mode() == engine::Cancellation::Mode::none && audit::enabled(audit::Level::info, call_log);
  if (!logged && !context_.configuration.trail) return {};
  const std::string command = masker().masked(request_.line);
  if (logged) {
    audit::Fields fields{audit::field("command", command), audit::field("program", result.program),
                         audit::field("directory", result.directory),
                         audit::field("time_limit_ms", static_cast<std::int64_t>(result.time_limit.count()))};
    if (!request_.environment.empty()) {
      std::string names;
      for (const auto& [name, value] : request_.environment) names += (names.empty() ? "" : " ") + name;
      fields.push_back(audit::field("environment_names", names));
    }
    if (request_.standard_input) {
      fields.push_back(audit::field("stdin_bytes", static_cast<std::int64_t>(request_.standard_input->size())));
    }
    audit::log(audit::Level::info, call_log, "command starts", std::move(fields), span);
  }
  if (!context_.configuration.trail) return {};
  Json line = line_of(context_, request_.labels);
  line["directory"] = result.directory;
  line["command"] = command;
  Json names = Json::array();
  for (const auto& [name, value] : request_.environment) names.push_back(name);
  line["environment_names"] = std::move(names);
  add_input(line, request_);
  line["verdict"] = policy::to_text(plan_.verdict.decision);
  line["rule"] = plan_.verdict.rule;
  if (plan_.lifts_network) line["lifts"] = {"network"};
  return write(context_, "start", line, span);
}

std::string CallRecord::end(const CallResult& result, std::uint64_t span) const {
  if (result.sandbox) log_sandbox(*result.sandbox, span);
  if (const auto* error = std::get_if<CallError>(&result.outcome)) return refused(*error, span);
  const auto& outcome = std::get<engine::CommandOutcome>(result.outcome);
  log_end(outcome, span);
  if (!context_.configuration.trail) return {};
  Json line = line_of(context_, request_.labels);
  add_ending(line, outcome.termination);
  if (!outcome.node.empty()) {
    line["node"] = outcome.node;
    line["job"] = outcome.job;
  }
  line["duration_ms"] = outcome.duration.count();
  line["stdout_bytes"] = outcome.standard_output.bytes;
  line["stderr_bytes"] = outcome.standard_error.bytes;
  if (outcome.resources) {
    const engine::Resources& used = *outcome.resources;
    line["resources"] = {{"user_cpu_ms", static_cast<double>(used.user.count()) / 1000},
                         {"system_cpu_ms", static_cast<double>(used.system.count()) / 1000},
                         {"peak_memory_bytes", used.peak_memory_kib * 1024},
                         {"processes", used.processes}};
  }
  if (outcome.background_count > 0) {
    line[outcome.kept ? "background_processes_kept" : "background_processes_ended"] = outcome.background_count;
  }
  if (outcome.unkillable.count > 0) line["processes_left"] = outcome.unkillable.count;
  if (context_.configuration.trail->options().output) {
    line["stdout"] = masker().masked(outcome.standard_output.text);
    line["stderr"] = masker().masked(outcome.standard_error.text);
  }
  return write(context_, "end", line, span);
}

void CallRecord::failed(std::string_view why, std::uint64_t span) const noexcept {
  if (!context_.configuration.trail) return;
  try {
    Json line = line_of(context_, request_.labels);
    line["how"] = "was lost: the host could not execute the call: " + masker().masked(std::string(why));
    write(context_, "end", line, span);
  } catch (const std::exception&) {
    // The caller reports the failure of the call.
  }
}

}  // namespace wtool
