// What a workflow is checked against, beyond its own file: the tools, the workflows and prompts that it names, and
// whether its commands may run.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loader/tool_caller.h"
#include "workflow/check/shell_syntax.h"
#include "workflow/parse/library.h"

namespace wtool::host::workflow {

struct CommandVerdict {
  enum class Kind {
    allow,
    ask,
    deny,
    no_directory,  // the working directory cannot be used now; a state may make it before the command runs
    unknown,       // nobody can tell
  };
  Kind kind = Kind::unknown;
  std::string reason;
};

// What is null or empty is not looked at.
struct CheckContext {
  const ToolCaller* tools = nullptr;
  std::string file;  // of the workflow; needed with `library`
  Library* library = nullptr;
  // What is wrong with a prompt of that name, where `known` are the names that have a value; a sentence each.
  std::function<std::vector<std::string>(const std::string& name, const std::string& file,
                                         const std::set<std::string, std::less<>>& known)>
      prompt_problems;
  // The names that the agent which gets that prompt (a text, or the name of one) may set.
  std::function<std::set<std::string, std::less<>>(const std::string& prompt, bool is_inline, const std::string& file)>
      prompt_sets;
  // Why no prompt can be executed at all; empty: one can.
  std::function<std::string()> prompt_command_problem;
  // Why a workflow cannot have its commands run by this shell (sh, bash or an absolute path); empty: it can.
  std::function<std::string(const std::string& shell)> shell_problem;
  // The largest timeout that the configuration allows, in seconds. Nothing when any is allowed.
  std::optional<std::int64_t> timeout_max;
  // The policy's verdict on a command without placeholders, in the directory of the run, with these variables. A
  // variable whose value has placeholders is passed as an empty text.
  std::function<CommandVerdict(const std::string& command, const std::map<std::string, std::string>& environment)>
      verdict;
  // Which commands the shell cannot read.
  ShellReader unreadable_commands;
  // Whether workflows that run one another in a circle are looked for, from this one on.
  bool find_loops = true;
  // Whether a workflow or prompt that is missing is an error: it is where the workflow is to run now and here.
  bool must_exist = false;
};

}  // namespace wtool::host::workflow
