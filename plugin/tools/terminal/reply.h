// The results of the terminal tools. Their specification describes an object for each result: the object becomes the
// metadata of the result and, written as JSON, also its text.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "call/call.h"
#include "call/session_calls.h"
#include "tools/tool.h"

namespace wtool::tools::terminal {

using Json = nlohmann::ordered_json;

// The schema of a result object: `success`, `error` if `success` is false, and the given properties.
std::string output_schema(std::string_view properties);

// The result with this object: {"success": ...} and the other members that the specification shows.
ToolResult reply(Json object);

// {"success": false, "error": {"code", "message", "hint"}}. The code is one of the specification's six:
// COMMAND_NOT_ALLOWED, TIMEOUT_EXCEEDED, SESSION_NOT_FOUND, INVALID_PARAMETERS, EXECUTION_ERROR,
// MAX_SESSIONS_EXCEEDED.
Json failure(const char* code, const std::string& message, const std::string& hint);

// The code of the specification that corresponds to a code of docs/guide/results.md.
const char* code_for(const CallError& error);

ToolResult refusal(const CallError& error);

// Like refusal(), but also records the refusal, because there is no command whose record would show it. `labels` has
// the session, the task and the agent, as far as they are known.
ToolResult recorded_refusal(const CallError& error, const Labels& labels, const CallContext& context);

// The recorded refusal of a call whose parameters are wrong.
ToolResult invalid(const std::string& problem, const Labels& labels, const CallContext& context);

// The labels of the session `id`, or only the id if there is no such session.
Labels labels_of(const std::string& id, const CallContext& context);

// What explain says about a tool that runs no command: that a parameter is wrong, or that nothing would be refused.
std::string explanation_of_no_command(const std::string& problem);

// What explain says about a tool that judges the directory and variables of a session.
std::string explanation_of_place(const CommandPlan& plan);

// What explain says about a tool whose call names a session.
std::string explanation_of_session(const std::string& problem, const std::string& id, const Sessions& sessions);

}  // namespace wtool::tools::terminal
