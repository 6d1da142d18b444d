// The results of shell_execute: how any call ended, as {"content", "is_error", "metadata"}. docs/guide/results.md
// describes each key. Other tools that run a command answer the same way, with their own Wording.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "call/call.h"
#include "tools/tool.h"

namespace wtool::tools {

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

}  // namespace wtool::tools
