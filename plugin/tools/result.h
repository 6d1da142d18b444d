// What the results of all tools have in common.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "call/call.h"
#include "call/plan.h"
#include "tools/tool.h"

namespace wtool::tools {

// {"content": [the text], "is_error", "metadata"}, as JSON text.
std::string envelope(std::string text, bool is_error, nlohmann::ordered_json metadata);

// {"code", "message", "hint"}
nlohmann::ordered_json error_object(const CallError& error);

// "SIGKILL"
std::string signal_name(int number);

// True for "no such program" (which shells report as 127), as against a program that cannot be executed (126).
bool is_not_found(const engine::NotStarted& how);

// Why a command did not start. `directory_parameter` is what the caller calls its working directory.
CallError not_started(const engine::NotStarted& how, const CallResult& result,
                      const std::string& directory_parameter = "working_directory");

// ---- The result of a command as YAML text, that a person can read and every parser reads back byte for byte. Pure.

// One scalar, as it follows "key: " in a mapping that is not indented; it ends with a newline. `text` is valid UTF-8.
//
// - Lines of printable characters become a literal block ("|"), unchanged.
// - Everything else is put in double quotes, so that no parser takes it for a number, a boolean or null; invisible
//   characters are escaped.
std::string yaml_scalar(std::string_view text);

// exit_code, stdout and stderr, in this order.
std::string yaml_result(int exit_code, std::string_view out, std::string_view err);

// ---- shell_result.cc: the results of shell_execute: how any call ended, as {"content", "is_error", "metadata"}.
// docs/guide/results.md describes each key. Other tools that run a command answer the same way, with their own Wording.

// Of a call whose parameters are wrong. `problem` is a sentence that names the parameter.
ToolResult refusal(const std::string& problem);

// Where a tool's specification differs from shell_execute's. An empty member means no difference.
struct Wording {
  // The text of a command that ended by itself. Its exit code, or its death by a signal, is then no error of the call.
  std::function<std::string(int exit_code, std::string_view out, std::string_view err)> ended;
  // What the message of a program that was not found ends with.
  std::string not_found_note;
};

// Of a call that was carried through, whatever became of it.
ToolResult answer(const CommandRequest& request, CallResult result, const Wording& wording = {});

// ---- The verdict of the policy as JSON, in results and in the answers of wtool.explain/1. docs/policy.md describes
// each key.

// {"verdict", "reason", "rule"}, and "word" with its "range" where it is about one. Text is valid UTF-8.
nlohmann::ordered_json policy_object(const policy::Verdict& verdict);

// What a call of this request would do, as a JSON object.
std::string explanation(const CommandRequest& request, const Configuration& configuration);

// The same of a call whose parameters are wrong: it is denied.
std::string explanation(const std::string& problem);

}  // namespace wtool::tools
