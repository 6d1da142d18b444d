#include "call.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "audit/tracing.h"
#include "engine/sandbox/sandboxed_run.h"
#include "policy/directories.h"
#include "policy/words.h"

namespace wtool {

namespace {

constexpr std::string_view target = "shell_tools::call";

// True for shells whose reading of a plain line is the one that policy::plain_command knows.
bool is_posix_shell(std::string_view program) {
  const std::string_view name = program.substr(program.rfind('/') + 1);
  return name == "sh" || name == "dash" || name == "bash" || name == "ash" || name == "ksh";
}

// Variables by which bash runs something else, or more, than the line says. The shell must then see the line.
bool changes_shell(std::string_view variable) {
  return variable.starts_with("BASH_ENV=") || variable.starts_with("BASH_FUNC_");
}

// Executing a program directly is twice as fast as through a shell, and its errors are exact. Only lines for which it
// makes no other difference are executed so.
void decide_program(const CommandRequest& request, const Configuration& configuration, engine::Command& command,
                    bool& through_shell) {
  command.shell = "/bin/sh";
  if (configuration.direct_exec && is_posix_shell(configuration.shell) &&
      std::none_of(command.variables.begin(), command.variables.end(), changes_shell)) {
    if (auto words = policy::plain_command(request.line)) {
      command.arguments = std::move(*words);
      command.paths = engine::candidate_paths(
          command.arguments.front(), policy::find_variable(command.variables, "PATH", engine::default_search_path));
      through_shell = false;
      return;
    }
  }
  command.arguments = {configuration.shell, "-c", request.line};
  command.paths = {configuration.shell};
  through_shell = true;
}

std::string describe(const engine::Outcome& outcome) {
  struct Describe {
    std::string operator()(const engine::Exited& how) const { return "exited with " + std::to_string(how.status); }
    std::string operator()(const engine::Signalled& how) const {
      return "was killed by signal " + std::to_string(how.signal);
    }
    std::string operator()(const engine::TimedOut&) const { return "timed out"; }
    std::string operator()(const engine::Cancelled&) const { return "was aborted"; }
    std::string operator()(const engine::Exhausted& how) const {
      return std::string("passed limits.") + engine::to_text(how.limit);
    }
    std::string operator()(const engine::NotStarted& how) const {
      return "did not start: " + (how.error != 0 ? std::string(std::strerror(how.error)) : how.detail);
    }
    std::string operator()(const engine::Lost& how) const { return "was lost: " + how.detail; }
  };
  return "command " + std::visit(Describe{}, outcome.how);
}

audit::Level level_of(const engine::Outcome& outcome) {
  if (std::holds_alternative<engine::Lost>(outcome.how) || outcome.left > 0) return audit::Level::error;
  if (std::holds_alternative<engine::Exited>(outcome.how)) return audit::Level::info;
  return audit::Level::warn;
}

void log_start(const CommandRequest& request, const CallResult& result, std::uint64_t span) {
  if (!audit::enabled(audit::Level::info, target)) return;
  audit::Fields fields{audit::field("command", request.line), audit::field("program", result.program),
                       audit::field("directory", result.directory),
                       audit::field("time_limit_ms", static_cast<std::int64_t>(result.time_limit.count()))};
  if (!request.environment.empty()) {
    std::string names;
    for (const auto& [name, value] : request.environment) names += (names.empty() ? "" : " ") + name;
    fields.push_back(audit::field("environment_names", names));
  }
  audit::log(audit::Level::info, target, "command starts", std::move(fields), span);
}

void log_end(const engine::Outcome& outcome, std::uint64_t span) {
  const audit::Level level = level_of(outcome);
  if (!audit::enabled(level, target)) return;
  audit::Fields fields{
      audit::field("duration_ms", static_cast<std::int64_t>(outcome.duration.count())),
      audit::field("stdout_bytes", static_cast<std::int64_t>(outcome.standard_output.bytes)),
      audit::field("stderr_bytes", static_cast<std::int64_t>(outcome.standard_error.bytes)),
  };
  if (outcome.resources) {
    const auto cpu = outcome.resources->user + outcome.resources->system;
    fields.push_back(audit::field("cpu_ms", std::chrono::duration_cast<std::chrono::milliseconds>(cpu).count()));
  }
  if (outcome.outlived > 0) {
    fields.push_back(audit::field("background_processes_ended", static_cast<std::int64_t>(outcome.outlived)));
  }
  if (outcome.left > 0) fields.push_back(audit::field("processes_left", static_cast<std::int64_t>(outcome.left)));
  if (!outcome.output_file.path.empty()) fields.push_back(audit::field("output_file", outcome.output_file.path));
  if (!outcome.output_file.error.empty()) {
    fields.push_back(audit::field("output_file_error", outcome.output_file.error));
  }
  audit::log(level, target, describe(outcome), std::move(fields), span);
}

// Once for each call that ran with less than was asked for, or changed what it should not.
void log_sandbox(const engine::SandboxReport& report, std::uint64_t span) {
  const auto joined = [](const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
    return text;
  };
  if (!report.not_enforced.empty()) {
    audit::log(audit::Level::warn, target, "the sandbox is not enforced as configured",
               {audit::field("not_enforced", joined(report.not_enforced))}, span);
  }
  if (!report.protected_changed.empty()) {
    audit::log(audit::Level::warn, target, "protected names were changed during the command",
               {audit::field("protected_changed", joined(report.protected_changed))}, span);
  }
}

}  // namespace

CallResult carry(const CommandRequest& request, CallContext& context) {
  const auto begun = std::chrono::steady_clock::now();
  CallResult result;
  result.time_limit = request.timeout.value_or(context.configuration.timeout_default);
  result.limits = context.configuration.limits;
  if (context.ceiling) result.time_limit = std::min(result.time_limit, *context.ceiling);

  auto opened = policy::open_directory(request.directory.value_or(std::string()));
  if (const auto* error = std::get_if<policy::DirectoryError>(&opened)) {
    const bool exhausted = engine::is_exhaustion(error->error);
    result.what = CallError{exhausted ? "resource_exhausted" : "working_directory_invalid",
                            "working_directory: " + error->message, error->hint};
    audit::log(audit::Level::warn, target, "command refused: " + error->message,
               {audit::field("tool", context.tool), audit::field("call_id", context.call_id)}, context.parent_span);
    return result;
  }
  const policy::Directory& directory = std::get<policy::Directory>(opened);
  result.directory = directory.path;

  engine::Command command;
  command.directory = directory.descriptor.get();
  command.variables = policy::compose_environment(::environ, request.environment, directory.path);
  decide_program(request, context.configuration, command, result.through_shell);
  result.program = command.arguments.front();

  const audit::Span span(context.parent_span, "call",
                         {audit::field("tool", context.tool), audit::field("call_id", context.call_id),
                          audit::field("program", result.program), audit::field("directory", result.directory)});
  if (context.cancellation.how() == engine::Cancellation::How::none) log_start(request, result, span.number());
  engine::RunOptions options;
  options.deadline = begun + result.time_limit;
  options.grace = context.configuration.grace;
  options.capture_bytes = context.configuration.output_bytes;
  options.limits = result.limits;
  options.spill = context.configuration.spill.when;
  options.spill_directory = context.configuration.spill_directory.get();
  options.name = context.call_id;
  if (context.configuration.confinement) {
    auto ran =
        engine::run_sandboxed(context.custody, *context.configuration.confinement, std::move(command), directory.path,
                              options, context.cancellation, context.sink, result.sandbox.emplace());
    log_sandbox(*result.sandbox, span.number());
    if (auto* refusal = std::get_if<engine::SandboxRefusal>(&ran)) {
      audit::log(audit::Level::warn, target, "command refused: " + refusal->message, {}, span.number());
      result.what = CallError{std::move(refusal->code), std::move(refusal->message), std::move(refusal->hint)};
    } else {
      result.what = std::get<engine::Outcome>(std::move(ran));
    }
  } else {
    result.what = engine::run(context.custody, command, options, context.cancellation, context.sink);
  }
  if (const auto* outcome = std::get_if<engine::Outcome>(&result.what)) log_end(*outcome, span.number());
  return result;
}

}  // namespace wtool
