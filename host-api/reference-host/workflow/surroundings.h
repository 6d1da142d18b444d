// What a workflow is checked against, beyond its own file: the tools, the workflows and prompts that it names, and
// whether its commands may run.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "loader/tool_caller.h"
#include "workflow/library.h"

namespace wtool::host::workflow {

struct CommandVerdict {
  enum class Kind { allow, ask, deny };
  Kind kind = Kind::allow;
  std::string reason;
};

// What is null or empty is not looked at.
struct Surroundings {
  const ToolCaller* tools = nullptr;
  std::string file;  // of the workflow; needed with `library`
  Library* library = nullptr;
  // What is wrong with a prompt of that name, one sentence; empty: nothing.
  std::function<std::string(const std::string& name, const std::string& file)> prompt_problem;
  // Why no prompt can be executed at all; empty: one can.
  std::function<std::string()> prompt_command_problem;
  // What policy says of a command without placeholders; nothing: it cannot be told.
  std::function<std::optional<CommandVerdict>(const std::string& command)> verdict;
  // Whether a workflow or prompt that is missing is an error: it is where the workflow is to run now and here.
  bool must_exist = false;
};

}  // namespace wtool::host::workflow
