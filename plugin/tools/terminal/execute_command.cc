// The tool terminal_execute_command: runs one command in a terminal session.
#include <algorithm>

#include "base/lasting.h"
#include "base/signal_name.h"
#include "base/utf8.h"
#include "call/session_calls.h"
#include "policy/tools_allow.h"
#include "tools/parameters.h"
#include "tools/result.h"
#include "tools/terminal/reply.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

using std::chrono::milliseconds;
using terminal::Json;

// The specification sets these three values ("60 seconds", "300 seconds", "1MB").
constexpr milliseconds default_timeout{60'000};
constexpr milliseconds max_timeout{300'000};
constexpr std::size_t max_output = 1024UL * 1024;

constexpr std::string_view input_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "sessionId": {"type": "string", "minLength": 1, "description": "The sessionId that terminal_create_session gave."},
    "command": {"type": "string", "minLength": 1, "description": "Name of an allowed program, for example \"npm\". No shell runs it."},
    "args": {"type": "array", "items": {"type": "string"}, "description": "Its arguments, one each, without shell metacharacters."},
    "timeout": {"type": "integer", "minimum": 1, "maximum": 300000, "default": 60000,
      "description": "Timeout in milliseconds. After it, the command and everything it started are killed."}
  },
  "required": ["sessionId", "command"],
  "additionalProperties": false
})";

constexpr std::string_view output_properties = R"("exitCode": {"type": "integer", "minimum": 0, "maximum": 255},
    "stdout": {"type": "string"},
    "stderr": {"type": "string"},
    "duration": {"type": "integer", "minimum": 0},
    "signal": {"type": "string"},
    "truncated": {"type": "boolean"},
    "warning": {"type": "string"},
    "stdoutBytes": {"type": "integer", "minimum": 0},
    "stderrBytes": {"type": "integer", "minimum": 0},
    "backgroundProcesses": {"type": "array", "items": {"type": "string"}},
    "backgroundProcessesEnded": {"type": "array", "items": {"type": "string"}},
    "auditError": {"type": "string"})";

// Ends a command of a session, however its call returns.
class Turn {
 public:
  explicit Turn(Session& session) : session_(session) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() { session_.end(ending); }

  Session::Ending ending = Session::Ending::refused;

 private:
  Session& session_;
};

// The answer of a command that reached the engine: one function for each way in which it can end.
class TerminalFormat {
 public:
  TerminalFormat(const CallResult& result, engine::CommandOutcome& outcome) : result_(result), outcome_(outcome) {}

  Json operator()(const engine::Exited& how) { return finished(how.status == 0, how.status); }

  Json operator()(const engine::Signalled& how) {
    Json object = finished(false, 128 + how.signal);
    object["signal"] = signal_name(how.signal);
    return object;
  }

  Json operator()(const engine::TimedOut& how) {
    return broken_off("TIMEOUT_EXCEEDED",
                      "Command timed out after " + std::to_string(result_.time_limit.count()) + " milliseconds",
                      what_was_ended(how.begun) + "; a larger timeout, or less to do, may help");
  }

  Json operator()(const engine::Cancelled& how) {
    return broken_off("EXECUTION_ERROR", aborted_text(how), what_was_ended(how.begun));
  }

  Json operator()(const engine::Exhausted& how) {
    return broken_off("EXECUTION_ERROR", "Command ended: it used more than " + how.key() + " allows",
                      "make the command use less, or " + how.way_out());
  }

  Json operator()(const engine::NotStarted& how) {
    const CallError error = not_started(how, result_, "workingDirectory");
    return terminal::failure("EXECUTION_ERROR", error.message, error.hint);
  }

  Json operator()(const engine::Lost& how) {
    return broken_off("EXECUTION_ERROR", "Command lost: " + how.detail, how.hint);
  }

  Json operator()(const engine::NodeLost& how) {
    return broken_off("EXECUTION_ERROR", "Command lost: " + how.detail,
                      "what the command had done until then remains, and what the session kept in the background has "
                      "ended; run it again");
  }

  Json operator()(const engine::NoNode& how) {
    const CallError error = no_node(how);
    return terminal::failure("EXECUTION_ERROR", error.message, error.hint);
  }

 private:
  Json finished(bool success, int status) {
    Json object{{"success", success}, {"exitCode", status}};
    add_output(object);
    return object;
  }

  // The answer of a command that has no exit code.
  Json broken_off(const char* code, const std::string& message, const std::string& hint) {
    Json object = terminal::failure(code, message, hint);
    add_output(object);
    return object;
  }

  void add_output(Json& object) {
    object["stdout"] = std::move(outcome_.standard_output.text);
    object["stderr"] = std::move(outcome_.standard_error.text);
    object["duration"] = outcome_.duration.count();
    add_warning(object);
    for (const auto& process : outcome_.background_names) {
      object[outcome_.kept ? "backgroundProcesses" : "backgroundProcessesEnded"].push_back(to_utf8(process.name));
    }
    if (!result_.audit_error.empty()) object["auditError"] = result_.audit_error;
  }

  void add_warning(Json& object) const {
    std::string warning;
    const auto add = [&](const std::string& sentence) { warning += (warning.empty() ? "" : "; ") + sentence; };
    const auto add_cut = [&](const std::string& name, const engine::StreamText& stream) {
      if (!stream.truncated) return;
      object["truncated"] = true;
      object[name + "Bytes"] = stream.bytes;
      add(name + " had " + std::to_string(stream.bytes) + " bytes, and only " + std::to_string(max_output) +
          " of them are shown: its beginning and its end");
    };
    add_cut("stdout", outcome_.standard_output);
    add_cut("stderr", outcome_.standard_error);
    if (!result_.not_kept_because.empty()) {
      add("the processes that the command left in the background were ended with it: " + result_.not_kept_because);
    }
    if (!warning.empty()) object["warning"] = warning;
  }

  const CallResult& result_;
  engine::CommandOutcome& outcome_;
};

Session::Ending ending_of(const engine::Termination& how, bool success) {
  if (!engine::has_begun(how)) return Session::Ending::not_started;
  return success ? Session::Ending::succeeded : Session::Ending::failed;
}

class ExecuteCommand : public PreparedCall {
 public:
  ExecuteCommand(std::string_view arguments, const Configuration& configuration) {
    const milliseconds longest = std::min<milliseconds>(max_timeout, configuration.timeout_max);
    Parameters parameters(arguments);
    id_ = parameters.required_text("sessionId");
    std::vector<std::string> words{parameters.required_text("command")};
    for (std::string& argument : parameters.texts("args")) words.push_back(std::move(argument));
    const auto timeout = parameters.whole_number("timeout", 1, longest.count(), "milliseconds");
    parameters.end({"sessionId", "command", "args", "timeout"});
    problem_ = parameters.problem();
    set_words(request_, std::move(words));
    request_.timeout = timeout ? milliseconds(*timeout) : std::min(default_timeout, longest);
    request_.output_bytes = max_output;
    // The file is read again at each call, because it may have changed.
    request_.tool_rules = [words = request_.words, file = configuration.tools_allow](const std::string&,
                                                                                     const policy::Programs& programs) {
      return policy::judge_by_tools_allow(words, file, programs);
    };
  }

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) return terminal::invalid(problem_, terminal::labels_of(id_, context), context);
    const auto session = context.sessions.find(id_);
    if (!session) return terminal::recorded_refusal(no_such_session(id_), terminal::labels_of(id_, context), context);
    switch (session->begin(context.abort)) {
      case Session::Begin::closed:
        return terminal::recorded_refusal(no_such_session(id_), terminal::labels_of(id_, context), context);
      case Session::Begin::busy:
        return terminal::recorded_refusal({"busy", "The session is running another command",
                                           "wait for its end (terminal_get_status shows it), or open a second session"},
                                          terminal::labels_of(id_, context), context);
      case Session::Begin::begun:
        break;
    }
    Turn turn(*session);
    use(session);
    CallResult result = execute_call(request_, context);
    if (const auto* error = std::get_if<CallError>(&result.outcome)) return terminal::refusal(*error);
    auto& outcome = std::get<engine::CommandOutcome>(result.outcome);
    const bool cancelled = std::holds_alternative<engine::Cancelled>(outcome.termination);
    Json object = std::visit(TerminalFormat(result, outcome), engine::Termination(outcome.termination));
    turn.ending = ending_of(outcome.termination, object.at("success").get<bool>());
    ToolResult answer = terminal::reply(std::move(object));
    answer.cancelled = cancelled;
    return answer;
  }

  bool tells_cancellation() const override { return true; }

  std::string explain(const Configuration& configuration, const Sessions& sessions) const override {
    if (!problem_.empty()) return explanation(problem_);
    const auto session = sessions.find(id_);
    if (!session) return explanation("sessionId: " + no_such_session(id_).message);
    ExecuteCommand inside(*this);
    inside.use(session);
    return explanation(inside.request_, configuration);
  }

 private:
  void use(const std::shared_ptr<Session>& session) {
    request_.directory = session->details().directory;
    request_.directory_parameter = "workingDirectory";
    request_.environment = session->details().environment;
    request_.labels = labels_of(*session);
    request_.session = session;
  }

  std::string id_;
  CommandRequest request_;
  std::string problem_;
};

}  // namespace

Tool terminal_execute_command() {
  static const auto& output = lasting<std::string>(terminal::output_schema(output_properties));
  return with_limits(
      {{"terminal_execute_command", "Run a command in a terminal session", "1.0.0",
        "Runs one allowed program with its arguments in a session's directory, without a shell, and waits for its "
        "end. Pipes, redirections, variables and globs do not work. Standard input is empty. Processes that it "
        "leaves in the background live until the session is closed. A session runs one command at a time.",
        input_schema, output},
       prepare<ExecuteCommand>});
}

}  // namespace wtool::tools
