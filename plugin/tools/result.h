// What the results of all tools share.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/json.h"
#include "call/call.h"
#include "call/plan.h"
#include "tools/tool.h"

namespace wtool::tools {

// {"content": [the text], "is_error", "metadata"}, as JSON text. The metadata is an object.
std::string envelope(std::string text, bool is_error, nlohmann::ordered_json metadata);

// {"code", "message", "hint"}
nlohmann::ordered_json error_object(const CallError& error);

// Adds the processes that could not be killed, if there are any: their number, as the member `count`, and the first of
// them, as the member `list`: [{"pid", "name"}].
void add_processes_left(const engine::ProcessesLeft& left, const char* list, const char* count,
                        nlohmann::ordered_json& object);

// True for "no such program" (which shells report as 127), false for a program that cannot be executed (126).
bool is_not_found(const engine::NotStarted& how);

// Why a command did not start. `directory_parameter` is the caller's name for the working directory.
CallError not_started(const engine::NotStarted& how, const CallResult& result,
                      const std::string& directory_parameter = "working_directory");

// "Command aborted: " and the reason of the caller.
std::string aborted_text(const engine::Cancelled& how);

// What the end of a call by the plugin has done.
std::string what_was_ended(bool begun);

// Why a command had no node.
CallError no_node(const engine::NoNode& how);

// ---- shell_result.cc: the result of shell_execute, {"content", "is_error", "metadata"}, for every way in which a call
// can end. docs/guide/results.md describes each key. Other tools can use this form, with their own Wording.

// The result of a call whose parameters are wrong. `problem` is a sentence that names the parameter.
ToolResult refusal(const std::string& problem);

// Where a tool's specification differs from shell_execute's. An empty member means no difference.
struct Wording {
  // The text for a command that ended by itself. Its exit code, or its death by a signal, is then not an error of the
  // call.
  std::function<std::string(int exit_code, std::string_view out, std::string_view err)> ended;
  // Added to the end of the message about a program that was not found.
  std::string not_found_note;
};

// The result of a call that was executed, however it ended.
ToolResult answer(const CommandRequest& request, CallResult result, const Wording& wording = {});

// ---- The verdict of the policy as JSON, in results and in the answers of wtool.explain/1. docs/policy.md describes
// each key.

// {"verdict", "reason", "rule"}, and "word" with its "range" if the verdict is about one word. All text is valid UTF-8.
nlohmann::ordered_json policy_object(const policy::Verdict& verdict);

// Says what a call with this request would do, as a JSON object.
std::string explanation(const CommandRequest& request, const Configuration& configuration);

// The same for a call whose parameters are wrong: it is denied.
std::string explanation(const std::string& problem);

}  // namespace wtool::tools
