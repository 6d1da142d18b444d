// Finds mistakes in a workflow that was parsed, before the workflow runs.
//
// - The diagram: a start, an end, no state that cannot be reached or left, no exit that is never taken.
// - Names: every variable that a template or a condition reads gets a value: from a parameter, an action, the outcome
//   of a state, the run itself (is_run_name() in model.h) or --var. No condition compares values whose types never
//   match.
// - Actions: tools, workflows and prompts exist, timeouts are in range, values in commands are at places where they can
//   be quoted, no reserved name is set, and the states that `on failure` and `finally` name exist.
//
//   CheckContext context;  // what is around the file: tools, other workflows, prompts, the policy
//   context.tools = &tools;
//   check_workflow(workflow, given, context, diagnostics);
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "loader/tool_caller.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/parse/library.h"

namespace wtool::host::workflow {

struct ShellMistake {
  std::size_t command = 0;  // the index in `commands` of a ShellReader
  std::size_t line = 0;     // in the command, from 0
  std::string message;      // the shell's own message
};

// Returns the syntax mistakes that `shell` finds in the commands, without running any of them. `shell` is a name such
// as sh or bash, or a path; empty: the configured shell.
using ShellReader =
    std::function<std::vector<ShellMistake>(const std::string& shell, const std::vector<std::string>& commands)>;

struct CommandVerdict {
  enum class Kind {
    allow,
    ask,
    deny,
    no_directory,  // the working directory cannot be used now; a state may create it before the command runs
    unknown,       // the verdict could not be determined
  };
  Kind kind = Kind::unknown;
  std::string reason;
};

// What a workflow is checked against, beyond its own file. A check is skipped if a member that it needs is null or
// empty.
struct CheckContext {
  const ToolCaller* tools = nullptr;
  std::string file;  // of the workflow; needed with `library`
  Library* library = nullptr;
  // The mistakes in the prompt `name`, one sentence for each; `known` are the names that have a value.
  std::function<std::vector<std::string>(const std::string& name, const std::string& file,
                                         const std::set<std::string, std::less<>>& known)>
      prompt_problems;
  // The names that an agent may set when it gets `prompt` (a text, or the name of a prompt).
  std::function<std::set<std::string, std::less<>>(const std::string& prompt, bool is_inline, const std::string& file)>
      prompt_sets;
  // Why no prompt can be executed at all; empty: prompts can be executed.
  std::function<std::string()> prompt_command_problem;
  // Why `shell` (sh, bash or an absolute path) cannot run the commands of a workflow; empty: it can.
  std::function<std::string(const std::string& shell)> shell_problem;
  // Why `tool` cannot be called at `place`, within the limits of `place`; empty: it can.
  std::function<std::string(const Placement& place, const std::string& tool)> place_problem;
  // The largest timeout that the configuration allows, in seconds. Nothing: every timeout is allowed.
  std::optional<std::int64_t> timeout_max;
  // The policy's verdict on a command without placeholders, in the directory of the run, with these variables. A
  // variable whose value has placeholders is passed as an empty text.
  std::function<CommandVerdict(const std::string& command, const std::map<std::string, std::string>& environment)>
      verdict;
  // The policy's verdict on calls of a tool of a server, whatever their arguments. A function that is not set allows them.
  std::function<CommandVerdict(const std::string& tool)> tool_verdict;
  // Finds the commands that the shell cannot read.
  ShellReader unreadable_commands;
  // True if the check looks for workflows that run themselves, directly or through others, starting from this one.
  bool find_loops = true;
  // True: a missing workflow or prompt is an error, because the workflow is about to run. False: it is a warning.
  bool must_exist = false;
};

// `given` are the names that --var gives.
void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                    Diagnostics& diagnostics);

// The same with a context that has only `tools`. nullptr: tools are not looked up.
void check_workflow(const Workflow& workflow, const std::vector<std::string>& given, const ToolCaller* tools,
                    Diagnostics& diagnostics);

struct CalledWorkflow {
  const Library::Entry* entry = nullptr;
  Diagnostics diagnostics;  // from the check; those from reading the file are in `entry`
};

// Checks each workflow that `workflow` runs, directly or through other workflows, once. A workflow whose name is a
// template is skipped. An argument counts as given if any of the calls gives it. `check_context` must have a library.
// A workflow that cannot be found is not reported here: the check of the workflow that calls it reports it.
std::vector<CalledWorkflow> check_called_workflows(const Workflow& workflow, const CheckContext& check_context);

// ---- name_uses.cc: which variables a workflow reads, and where.

struct NameRead {
  std::string name;
  std::string field;  // the first field that is read from it; empty: no field
  // The longer name that begins here, if dashes or dots join further words to `name` (run-tests for run); else empty.
  std::string longer;
  std::size_t offset = 0;
  bool may_be_missing = false;  // the template has a default for it, or tests it first
  bool in_command = false;      // it is ${name} in a command, and not {{ name }}
  bool whole_condition = false;
  std::size_t state = no_state;
  bool in_action = false;  // in the action of `state`; otherwise in one of its exits
  bool after_tag = false;  // a tag comes before it in the same text, so it may be in a branch that is not taken
};

// `diagnostics` gets the mistakes in templates that were not parsed before (those in JSON); may be null.
std::vector<NameRead> name_uses(const Workflow& workflow, Diagnostics* diagnostics);

// ---- needed_values.cc: the parameters without a value that a run would read.

// The places that need the values of the parameters `names`, in the order of the states. A place needs no value if it has
// a default or its state tests the name first. The names that a state sets, or an exit tests, are left out.
std::vector<NameRead> needed_values(const Workflow& workflow, std::set<std::string, std::less<>> names,
                                    const std::vector<NameRead>& uses);

// Reports, for a run with `inputs`, the parameters that have no value but are read: an error if the run is sure to read the
// parameter, and nothing handles that failure; a warning if an exit, a branch or an agent decides whether it does. The
// parameters with a `condition` are left out. `option` is as in resolve_inputs() (parameters.h).
void check_values(const Workflow& workflow, const std::map<std::string, expressions::Value>& inputs,
                  const std::string& option, Diagnostics& diagnostics);

// Every name that has a value at some time in a run: those of `given`, parameters, what Set, result="..." and free_port
// store, the states, and the names that every run sets (run_names()) except `matrix`.
std::set<std::string, std::less<>> names_defined(const Workflow& workflow, const std::vector<std::string>& given);

// Every variable that the workflow reads in a template or condition, sorted, each once.
std::vector<std::string> names_read(const Workflow& workflow);

}  // namespace wtool::host::workflow
