// The tools terminal_create_session, terminal_close_session and terminal_get_status.
#include "base/lasting.h"
#include "call/session_calls.h"
#include "tools/parameters.h"
#include "tools/result.h"
#include "tools/terminal/reply.h"
#include "tools/tool.h"

namespace wtool::tools {

namespace {

using terminal::Json;

constexpr std::string_view session_id_schema = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "sessionId": {"type": "string", "minLength": 1, "description": "The sessionId that terminal_create_session gave."}
  },
  "required": ["sessionId"],
  "additionalProperties": false
})";

// ---- terminal_create_session

constexpr std::string_view create_input = R"({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {
    "taskId": {"type": "string", "minLength": 1, "maxLength": 128, "description": "The task that the session is for."},
    "agentId": {"type": "string", "minLength": 1, "maxLength": 128, "description": "The agent that uses it."},
    "workingDirectory": {"type": "string", "minLength": 1,
      "description": "Directory of its commands. Default: the current directory of the host."},
    "environment": {"type": "object", "additionalProperties": {"type": "string"},
      "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
      "description": "Environment variables for its commands. Names that change what programs do, such as PATH or LD_PRELOAD, are refused."}
  },
  "required": ["taskId", "agentId"],
  "additionalProperties": false
})";

class CreateSession : public PreparedCall {
 public:
  explicit CreateSession(std::string_view arguments) {
    Parameters parameters(arguments);
    request_.task = parameters.required_text("taskId", max_name);
    request_.agent = parameters.required_text("agentId", max_name);
    request_.directory = parameters.optional_text("workingDirectory");
    request_.environment = parameters.variables("environment");
    parameters.end({"taskId", "agentId", "workingDirectory", "environment"});
    problem_ = parameters.problem();
  }

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) {
      Labels known;
      if (!request_.task.empty() && request_.task.size() <= max_name) known.emplace_back("task", request_.task);
      if (!request_.agent.empty() && request_.agent.size() <= max_name) known.emplace_back("agent", request_.agent);
      return terminal::invalid(problem_, known, context);
    }
    const auto opened = open_session(request_, context);
    if (const auto* error = std::get_if<CallError>(&opened)) {
      // There is no command yet, so a refusal is about a parameter.
      const bool is_parameter = error->code == "policy_denied" || error->code == "working_directory_invalid";
      return is_parameter ? terminal::reply(terminal::failure("INVALID_PARAMETERS", error->message, error->hint))
                          : terminal::refusal(*error);
    }
    const SessionDetails& details = std::get<std::shared_ptr<Session>>(opened)->details();
    return terminal::reply({{"success", true},
                            {"sessionId", details.id},
                            {"workingDirectory", details.directory},
                            {"createdAt", to_iso_text(details.created)}});
  }

  std::string explain(const Configuration& configuration, const Sessions&) const override {
    return problem_.empty() ? terminal::explanation_of_place(plan_session(request_, configuration))
                            : terminal::explanation_of_no_command(problem_);
  }

 private:
  static constexpr std::size_t max_name = 128;

  SessionRequest request_;
  std::string problem_;
};

// A call whose only parameter is a session.
class SessionCall : public PreparedCall {
 public:
  explicit SessionCall(std::string_view arguments) {
    Parameters parameters(arguments);
    id_ = parameters.required_text("sessionId");
    parameters.end({"sessionId"});
    problem_ = parameters.problem();
  }

  std::string explain(const Configuration&, const Sessions& sessions) const override {
    return terminal::explanation_of_session(problem_, id_, sessions);
  }

 protected:
  std::string id_;
  std::string problem_;
};

// ---- terminal_close_session

class CloseSession : public SessionCall {
 public:
  using SessionCall::SessionCall;

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) return terminal::invalid(problem_, terminal::labels_of(id_, context), context);
    const auto result = close_session(id_, context);
    if (const auto* error = std::get_if<CallError>(&result)) {
      return terminal::recorded_refusal(*error, terminal::labels_of(id_, context), context);
    }
    const auto& closed = std::get<ClosedSession>(result);
    Json object{{"success", true}, {"message", "Session closed and resources freed"}};
    add_processes_left(closed.unkillable, "processesLeft", "processesLeftCount", object);
    if (!closed.audit_error.empty()) object["auditError"] = closed.audit_error;
    return terminal::reply(std::move(object));
  }
};

// ---- terminal_get_status

const char* state_text(Session::State state) {
  switch (state) {
    case Session::State::idle:
      return "idle";
    case Session::State::running:
      return "running";
    case Session::State::completed:
      return "completed";
    case Session::State::failed:
      return "failed";
  }
  return "";
}

class GetStatus : public SessionCall {
 public:
  using SessionCall::SessionCall;

  ToolResult run(CallContext& context) override {
    if (!problem_.empty()) return terminal::invalid(problem_, terminal::labels_of(id_, context), context);
    const auto session = context.sessions.find(id_);
    if (!session) {
      return terminal::recorded_refusal(no_such_session(id_), terminal::labels_of(id_, context), context);
    }
    const SessionDetails& details = session->details();
    Json object{{"success", true},
                {"session",
                 {{"id", details.id},
                  {"taskId", details.task},
                  {"agentId", details.agent},
                  {"state", state_text(session->state())},
                  {"workingDirectory", details.directory},
                  {"createdAt", to_iso_text(details.created)},
                  {"commandCount", session->commands()}}}};
    if (const std::string problem = record_look(*session, context); !problem.empty()) object["auditError"] = problem;
    return terminal::reply(std::move(object));
  }
};

}  // namespace

Tool terminal_create_session() {
  static const auto& output = lasting<std::string>(
      terminal::output_schema(R"("sessionId": {"type": "string"}, "workingDirectory": {"type": "string"},
      "createdAt": {"type": "string", "format": "date-time"})"));
  return {{"terminal_create_session", "Open a terminal session", "1.0.0",
           "Opens a session for a task: a working directory and environment variables for the commands that "
           "terminal_execute_command then runs in it, one at a time. Background processes that they start live until "
           "terminal_close_session. Returns the sessionId that the other terminal tools need. The session lives in the "
           "program that opened it, until it is closed or that program ends. Close the session when the task is done.",
           create_input, output, false, false, false, false},
          prepare<CreateSession>};
}

Tool terminal_close_session() {
  static const auto& output = lasting<std::string>(terminal::output_schema(
      R"("message": {"type": "string"}, "auditError": {"type": "string"}, "processesLeftCount": {"type": "integer"},
    "processesLeft": {"type": "array"})"));
  return {{"terminal_close_session", "Close a terminal session", "1.0.0",
           "Closes a session: the command that runs in it is stopped, and all background processes that its commands "
           "have started are ended. The sessionId cannot be used afterwards.",
           session_id_schema, output, false, true, false, false},
          prepare<CloseSession>};
}

Tool terminal_get_status() {
  static const auto& output =
      lasting<std::string>(terminal::output_schema(R"("session": {"type": "object", "properties": {
      "id": {"type": "string"}, "taskId": {"type": "string"}, "agentId": {"type": "string"},
      "state": {"enum": ["idle", "running", "completed", "failed"]}, "workingDirectory": {"type": "string"},
      "createdAt": {"type": "string", "format": "date-time"}, "commandCount": {"type": "integer", "minimum": 0}}},
      "auditError": {"type": "string"})"));
  return {{"terminal_get_status", "Get the status of a terminal session", "1.0.0",
           "Shows whether a session is idle, is running a command, has failed (its last command failed or could not be "
           "run), or is being closed (completed), and how many commands have run in it.",
           session_id_schema, output, true, false, true, false},
          prepare<GetStatus>};
}

}  // namespace wtool::tools
