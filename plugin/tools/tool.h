// What the rest of the plugin needs to know about a tool: its description, and the function that turns arguments into a
// call. Also lists all tools.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "call/call.h"

namespace wtool::tools {

// The same as wtool_descriptor, without the C interface. Static text.
struct Description {
  std::string_view id;
  std::string_view title;
  std::string_view version;
  std::string_view description;
  std::string_view input_schema;
  std::string_view output_schema;
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
  bool takes_limits = false;  // it starts commands, to which the limits of the call apply
};

// What a call returns.
struct ToolResult {
  std::string envelope;    // {"content", "is_error", "metadata"} as JSON text
  bool cancelled = false;  // the call ended because it was cancelled
};

// A call whose arguments have been checked. Runs once.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  virtual ToolResult run(CallContext& context) = 0;
  // True if run() itself handles a call that was cancelled before it began: run() then starts nothing, and its result
  // says so. False: run() is not called, and not_begun() makes the result.
  virtual bool tells_cancellation() const { return false; }
  // Describes what the call would do, as the JSON object of wtool.explain/1. Runs nothing and asks nobody. Any thread
  // may call this, even while other calls run, and more than once.
  virtual std::string explain(const Configuration& configuration, const Sessions& sessions) const = 0;
};

// A call that is one command: the constructor fills in `request_`, or puts what is wrong with the parameters into
// `problem_`.
class CommandCall : public PreparedCall {
 public:
  bool tells_cancellation() const override { return true; }
  std::string explain(const Configuration& configuration, const Sessions& sessions) const override;  // explanation.cc

 protected:
  CommandRequest request_;
  std::string problem_;
};

// The result of a call that was cancelled before it began and whose tells_cancellation() is false.
ToolResult not_begun(const std::string& reason);  // result.cc

// Makes a call of this class, for the table of tools.
template <typename Call>
std::unique_ptr<PreparedCall> prepare(std::string_view arguments, const Configuration& configuration) {
  if constexpr (std::is_constructible_v<Call, std::string_view, const Configuration&>) {
    return std::make_unique<Call>(arguments, configuration);
  } else {
    return std::make_unique<Call>(arguments);
  }
}

struct Tool {
  Description description;
  // Checks the arguments and starts nothing. If they are wrong, the returned call answers with the mistakes.
  std::unique_ptr<PreparedCall> (*prepare)(std::string_view arguments, const Configuration& configuration);
};

// For the table of tools: marks a tool that starts commands, so that its calls may have limits of their own.
inline Tool with_limits(Tool tool) {
  tool.description.takes_limits = true;
  return tool;
}

// ---- All tools of the plugin. To add one, add a file here, declare its function below, and add a line to table.cc.

std::span<const Tool> all();

Tool shell_execute();    // docs/guide/shell-execute.md
Tool execute_command();  // docs/guide/execute-command.md
Tool execute_run();      // docs/guide/execute-run.md

// terminal/: sessions with their own directory, variables and background processes. Allowed programs run in a session,
// one at a time and without a shell. docs/guide/terminal.md describes these tools.
Tool terminal_create_session();
Tool terminal_execute_command();
Tool terminal_close_session();
Tool terminal_get_status();

// pty/: programs in terminals. Callers type into a terminal and see its screen. docs/guide/pty.md describes the tools.
Tool pty_start();
Tool pty_send();
Tool pty_read();
Tool pty_resize();
Tool pty_stop();
Tool pty_list();

}  // namespace wtool::tools
