// What the terminal tools answer: their specification's objects, as the metadata and, as JSON, as the text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "call/call.h"
#include "call/session_calls.h"
#include "tools/tool.h"

namespace wtool::tools::terminal {

using Json = nlohmann::ordered_json;

// {"success": ...} and what else the specification shows.
ToolResult reply(Json object);

// {"success": false, "error": {"code", "message", "hint"}}. The code is one of the specification's six:
// COMMAND_NOT_ALLOWED, TIMEOUT_EXCEEDED, SESSION_NOT_FOUND, INVALID_PARAMETERS, EXECUTION_ERROR,
// MAX_SESSIONS_EXCEEDED.
Json failure(const char* code, const std::string& message, const std::string& hint);

// The specification's code for one of docs/guide/results.md.
const char* code_for(const CallError& error);

ToolResult refusal(const CallError& error);

// The same of what is not on record yet, because it came before there was a command to judge. `labels` are the session,
// task and agent as far as they are known;
ToolResult recorded_refusal(const CallError& error, const Labels& labels, const CallContext& context);

// and of a call whose parameters are wrong.
ToolResult invalid(const std::string& problem, const Labels& labels, const CallContext& context);

// Those of the session `id`, or the id alone where there is no such session.
Labels labels_of(const std::string& id, const CallContext& context);

// What explain says of a tool that runs no command, where a parameter is wrong or nothing would be refused;
std::string explanation_of_no_command(const std::string& problem);

// where the place of a session is judged;
std::string explanation_of_place(const Plan& plan);

// and where a session is named.
std::string explanation_of_session(const std::string& problem, const std::string& id, const Sessions& sessions);

}  // namespace wtool::tools::terminal
