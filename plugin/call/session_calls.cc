#include "call/session_calls.h"

#include <unistd.h>

#include <chrono>

#include "audit/tracing.h"
#include "audit/trail.h"
#include "base/json.h"
#include "call/call_record.h"

namespace wtool {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view session_log = "shell_tools::session";

void add_session(const Session& session, Json& line) {
  for (const auto& [key, value] : labels_of(session)) line[key] = value;
  line["directory"] = session.details().directory;
}

void add_end(const Session& session, std::uint64_t unkillable, Json& line) {
  line["commands"] = session.commands();
  if (unkillable > 0) line["processes_left"] = unkillable;
}

// Records a session that was closed by the shutdown of the plugin, not by a call.
void record_shutdown(const Session& session, audit::Trail& trail, std::uint64_t unkillable) {
  Json line{{"host_pid", ::getpid()}};
  add_session(session, line);
  add_end(session, unkillable, line);
  const std::string problem = trail.write("close", line);
  if (!problem.empty()) audit::log(audit::Level::error, session_log, problem, {}, 0);
}

// Returns the result of write_to_trail(), or an empty text if no audit trail is configured.
std::string put_on_record(std::string_view event, const Session& session, const CallContext& context,
                          std::uint64_t unkillable) {
  // Asking for the status changes nothing and is frequent, so it is logged at a lower level.
  audit::log(event == "status" ? audit::Level::debug : audit::Level::info, session_log, "session " + std::string(event),
             {audit::field("session", session.details().id), audit::field("task", session.details().task),
              audit::field("agent", session.details().agent), audit::field("directory", session.details().directory),
              audit::field("commands", static_cast<std::int64_t>(session.commands()))},
             context.parent_span);
  if (!context.configuration.trail) return {};
  Json line = line_of(context, {});
  add_session(session, line);
  if (event == "open") {
    Json names = Json::array();
    for (const auto& [name, value] : session.details().environment) names.push_back(name);
    line["environment_names"] = std::move(names);
  } else {
    add_end(session, unkillable, line);
  }
  return write_to_trail(context, event, line, session_log, context.parent_span);
}

std::string quoted(std::string_view text) { return dumped(Json(text)); }

}  // namespace

void record_refusal(const CallError& error, const Labels& labels, const CallContext& context) {
  audit::Fields fields{audit::field("call_id", context.call_id), audit::field("code", error.code)};
  for (const auto& [key, value] : labels) fields.push_back(audit::field(key, value));
  audit::log(audit::Level::warn, session_log, context.tool + " refused: " + error.message, std::move(fields),
             context.parent_span);
  if (!context.configuration.trail) return;
  Json line = line_of(context, labels);
  line["verdict"] = "deny";
  line["code"] = error.code;
  line["reason"] = error.message;
  write_to_trail(context, "refusal", line, session_log, context.parent_span);
}

std::string record_look(const Session& session, const CallContext& context) {
  return put_on_record("status", session, context, 0);
}

CallError no_such_session(std::string_view id) {
  return {"session_not_found", "There is no session " + quoted(id),
          "it was closed, or never opened here; terminal_create_session opens one and gives its sessionId. A session "
          "lives in the program that opened it: a run of `wtool run`, `wtool mcp`, or a host of your own. Each `wtool "
          "call` is a separate program, and its session ends with it"};
}

Labels labels_of(const Session& session) {
  const SessionDetails& details = session.details();
  return {{"session", details.id}, {"task", details.task}, {"agent", details.agent}};
}

CommandPlan plan_session(const SessionRequest& request, const Configuration& configuration) {
  CommandRequest place(request.host_environment);
  place.directory = request.directory;
  place.directory_parameter = "workingDirectory";
  place.environment = request.environment;
  // The tools judge a session's commands by rules of their own (an allow list), so its directory and variables are
  // judged as strictly as for such a command. Only the presence of this function matters: plan_place() never calls it.
  place.tool_rules = [](const std::string&, const policy::Programs&) { return policy::Verdict{}; };
  return plan_place(place, configuration);
}

std::variant<CallError, std::shared_ptr<Session>> open_session(const SessionRequest& request, CallContext& context) {
  const CommandPlan plan = plan_session(request, context.configuration);
  const auto refuse = [&](CallError error, const std::string& rule) {
    record_refusal(
        error, {{"task", request.task}, {"agent", request.agent}, {"directory", plan.directory.path}, {"rule", rule}},
        context);
    return error;
  };
  if (plan.error) return refuse(*plan.error, plan.verdict.rule);
  const std::size_t most = context.configuration.sessions_max;
  const auto session =
      context.sessions.create({{}, request.task, request.agent, plan.directory.path, request.environment, {}}, most);
  if (!session) {
    return refuse({"session_limit", "There are " + std::to_string(most) + " open sessions, which is the limit",
                   "close one with terminal_close_session, or raise sessions.max in the configuration"},
                  "sessions.max");
  }
  if (std::string problem = put_on_record("open", *session, context, 0); !problem.empty()) {
    engine::ProcessesLeft unkillable;
    context.sessions.close(session->details().id, context.configuration.grace, unkillable);
    return CallError{"policy_denied", std::move(problem),
                     "no session opens unrecorded; to allow it, set audit.when_unwritable to continue"};
  }
  if (context.configuration.trail) {
    session->on_plugin_shutdown = [weak = std::weak_ptr(session),
                                   trail = context.configuration.trail](const auto& unkillable) {
      if (const auto closed = weak.lock()) record_shutdown(*closed, *trail, unkillable.count);
    };
  }
  return session;
}

std::variant<CallError, ClosedSession> close_session(std::string_view id, CallContext& context) {
  const auto session = context.sessions.find(id);
  ClosedSession closed;
  engine::Patience patience{{}, context.cancellation};
  if (context.ceiling) patience.deadline = std::chrono::steady_clock::now() + *context.ceiling;
  if (!session || !context.sessions.close(id, context.configuration.grace, closed.unkillable, &patience))
    return no_such_session(id);
  closed.audit_error = put_on_record("close", *session, context, closed.unkillable.count);
  return closed;
}

}  // namespace wtool
