// pty_start: starts a program in a terminal.
#include <algorithm>

#include "base/lasting.h"
#include "policy/environment.h"
#include "tools/parameters.h"
#include "tools/pty/reply.h"
#include "tools/result.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

using std::chrono::seconds;

// The type of terminal that the screen emulates. Programs look up what it can do by this name, the value of TERM.
constexpr std::string_view terminal_type = "xterm-256color";

// The lifetime if the call names none, unless the configuration allows less.
constexpr seconds usual_lifetime{3600};

constexpr std::string_view start_properties = R"("command": {"type": "string", "minLength": 1,
      "description": "For example \"python3\", \"less README.md\" or \"ssh host\"."},
    "working_directory": {"type": "string", "minLength": 1,
      "description": "Directory to run it in. Default: that of the host."},
    "environment": {"type": "object", "additionalProperties": {"type": "string"},
      "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"}, "description": "Variables to add."},
    "rows": {"type": "integer", "minimum": 2, "maximum": 200, "default": 24},
    "columns": {"type": "integer", "minimum": 2, "maximum": 500, "default": 80},
    "lifetime": {"type": "integer", "minimum": 1,
      "description": "Seconds until it and all that it started are ended, whatever happens. Default: 3600, or limits.timeout_max where that is less."},
    )";

// The answer if nothing was started: the reason.
ToolResult not_run(const CallResult& result) {
  const auto* error = std::get_if<CallError>(&result.outcome);
  pty::Json more = pty::Json::object();
  if (result.verdict.decision != policy::Decision::allow) more["policy"] = policy_object(result.verdict);
  if (!result.audit_error.empty()) more["audit_error"] = result.audit_error;
  if (error != nullptr) return pty::refusal(*error, more);
  const auto& outcome = std::get<engine::CommandOutcome>(result.outcome);
  return pty::refusal(not_started(std::get<engine::NotStarted>(outcome.termination), result), more);
}

class PtyStartCall : public CommandCall {
 public:
  PtyStartCall(std::string_view arguments, const Configuration& configuration) {
    Parameters parameters(arguments);
    request_.line = parameters.required_text("command");
    request_.expands = true;
    request_.interactive = true;
    request_.directory = parameters.optional_text("working_directory");
    request_.environment = parameters.variables("environment");
    size_.rows = static_cast<int>(
        parameters.whole_number("rows", screen::least_rows, screen::max_rows, "lines").value_or(size_.rows));
    size_.columns =
        static_cast<int>(parameters.whole_number("columns", screen::least_columns, screen::max_columns, "cells")
                             .value_or(size_.columns));
    const auto lifetime = parameters.seconds("lifetime", configuration.timeout_max, false);
    request_.timeout = lifetime.value_or(std::min(usual_lifetime, configuration.timeout_max));
    waiting_.read(parameters);
    parameters.end({"command", "working_directory", "environment", "rows", "columns", "lifetime", "wait_for",
                    "quiet_ms", "wait_ms"});
    problem_ = parameters.problem();
    const auto& given = request_.environment;
    const bool has_type =
        std::any_of(given.begin(), given.end(), [](const auto& variable) { return variable.first == "TERM"; });
    if (!has_type) request_.tool_environment.emplace_back("TERM", terminal_type);
  }

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) return pty::invalid(problem_, {}, context);
    const auto deadline = deadline_of(context);
    auto outcome = start_pty(request_, size_, context);
    if (const auto* error = std::get_if<CallError>(&outcome)) return pty::refusal(*error);
    auto& started = std::get<StartedPty>(outcome);
    const auto give_up = [&] {
      // The caller does not get the terminal's name, so nobody could stop it later.
      stop_pty(started.pty->id(), context);
      return pty::cancelled(context);
    };
    try {
      if (context.cancellation.mode() != engine::Cancellation::Mode::none) return give_up();
      if (started.not_run) return not_run(*started.not_run);
      pty::Shown shown;
      shown.wanted = waiting_.text;
      shown.seen = started.pty->wait(waiting_.wish({}, deadline), context.cancellation);
      if (shown.seen == Pty::Seen::cancelled) return give_up();
      return pty::show(*started.pty, shown);
    } catch (...) {  // No memory is left.
      give_up();
      throw;
    }
  }

 private:
  screen::Size size_;
  pty::Waiting waiting_;
};

}  // namespace

Tool pty_start() {
  static const auto& input =
      lasting<std::string>(pty::schema(std::string(start_properties).append(pty::Waiting::properties), "\"command\""));
  return with_limits(
      {{"pty_start", "Start a program in a terminal", "1.0.0",
        "Starts an interactive program in a terminal of its own, and shows its screen: a REPL, a "
        "debugger, an editor, a pager, ssh. pty_send types into it, pty_read shows its screen, pty_stop "
        "ends it. Returns the name that these tools need. The terminal lives until its program ends, it is "
        "stopped, or it is unused for long. For commands that ask nothing, shell_execute is better.",
        input, pty::output_schema},
       prepare<PtyStartCall>});
}

}  // namespace wtool::tools
