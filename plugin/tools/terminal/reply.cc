#include "tools/terminal/reply.h"

#include <array>

#include "call/session_calls.h"
#include "tools/result.h"

namespace wtool::tools::terminal {

std::string output_schema(std::string_view properties) {
  return std::string(R"({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
  "properties": {"success": {"type": "boolean"}, )")
      .append(properties)
      .append(
          R"(, "error": {"type": "object", "properties": {"code": {"enum": ["COMMAND_NOT_ALLOWED", "TIMEOUT_EXCEEDED",
      "SESSION_NOT_FOUND", "INVALID_PARAMETERS", "EXECUTION_ERROR", "MAX_SESSIONS_EXCEEDED"]},
      "message": {"type": "string"}, "hint": {"type": "string"}}, "required": ["code", "message", "hint"]}},
  "required": ["success"]})");
}

ToolResult reply(Json object) {
  std::string text = dumped(object);
  const bool failed = !object.at("success").get<bool>();
  return {envelope(std::move(text), failed, std::move(object)), false};
}

Json failure(const char* code, const std::string& message, const std::string& hint) {
  return {{"success", false}, {"error", {{"code", code}, {"message", message}, {"hint", hint}}}};
}

const char* code_for(const CallError& error) {
  struct Row {
    std::string_view ours;
    const char* specified;
  };
  constexpr std::array rows{
      Row{"policy_denied", "COMMAND_NOT_ALLOWED"},        Row{"approval_denied", "COMMAND_NOT_ALLOWED"},
      Row{"approval_unavailable", "COMMAND_NOT_ALLOWED"}, Row{"session_not_found", "SESSION_NOT_FOUND"},
      Row{"session_limit", "MAX_SESSIONS_EXCEEDED"},      Row{"timed_out", "TIMEOUT_EXCEEDED"},
      Row{"invalid_parameters", "INVALID_PARAMETERS"},
  };
  for (const Row& row : rows) {
    if (error.code == row.ours) return row.specified;
  }
  return "EXECUTION_ERROR";
}

ToolResult refusal(const CallError& error) { return reply(failure(code_for(error), error.message, error.hint)); }

ToolResult recorded_refusal(const CallError& error, const Labels& labels, const CallContext& context) {
  record_refusal(error, labels, context);
  return refusal(error);
}

ToolResult invalid(const std::string& problem, const Labels& labels, const CallContext& context) {
  return recorded_refusal({"invalid_parameters", problem, "correct the parameter and call again; nothing was run"},
                          labels, context);
}

Labels labels_of(const std::string& id, const CallContext& context) {
  if (id.empty()) return {};
  const auto session = context.sessions.find(id);
  constexpr std::size_t longest = 256;  // at most this many bytes of an unknown id are recorded
  return session ? wtool::labels_of(*session) : Labels{{"session", id.substr(0, longest)}};
}

std::string explanation_of_no_command(const std::string& problem) {
  if (!problem.empty()) return explanation(problem);
  return Json{{"verdict", "allow"}, {"reason", "it runs no command"}, {"rule", "terminal"}}.dump();
}

std::string explanation_of_place(const CommandPlan& plan) {
  if (!plan.error) return explanation_of_no_command({});
  return dumped(Json{{"verdict", "deny"},
                     {"reason", plan.error->message},
                     {"rule", plan.verdict.rule},
                     {"hint", plan.error->hint},
                     {"error", plan.error->code}});
}

std::string explanation_of_session(const std::string& problem, const std::string& id, const Sessions& sessions) {
  const bool unknown = problem.empty() && sessions.find(id) == nullptr;
  return explanation_of_no_command(unknown ? "sessionId: " + no_such_session(id).message : problem);
}

}  // namespace wtool::tools::terminal
