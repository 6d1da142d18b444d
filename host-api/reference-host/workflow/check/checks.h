// The checks of a parsed workflow. The comment of each check names its file; check_workflow() (checker.h) runs them
// all. `given` are the names that --var gives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workflow/check/checker.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// diagram_checks.cc: no start, states that cannot be reached or left, exits that are never taken, joins without a fork.
// Takes linear time.
void check_diagram(const Workflow& workflow, Diagnostics& diagnostics);

// loop_checks.cc: loops without any bound except the limit of states that every run has.
void check_loops(const Workflow& workflow, Diagnostics& diagnostics);

// fork_checks.cc: branches that do not meet before a step that follows, so that it would run once for each of them: they
// pass the end of a composite state, or come to a join that is not the join of their fork. A warning where a step itself
// is on several branches.
void check_forks(const Workflow& workflow, Diagnostics& diagnostics);

// parallel_checks.cc: steps that run at the same time and have the same output, so that neither of them is ever up to
// date; other steps that may write the same file; prompts that run at the same time, although a budget limits what is known only at the end of each call.
void check_parallel_steps(const Workflow& workflow, Diagnostics& diagnostics);

// name_checks.cc: each name that is read in a template or a condition is defined, each field that is read from an
// outcome exists, and a path leads from a state that sets the value to the place that reads it.
void check_names(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                 Diagnostics& diagnostics);

// unread_states.cc: names of states in braces that are not read as placeholders, as in `${v1.2}`, `${build/all}`,
// `${run-tests:-x}` and `{{ 1-build }}`. Such text would stay as it is, and a shell would read one of its own
// variables. A warning for `${list[0]}` in a text that no shell reads, because it would stay as it is, too.
void check_unread_states(const Workflow& workflow, Diagnostics& diagnostics);

// condition_types.cc: conditions that compare values whose types never match, such as `exit_code == "0"`. An error if
// the run itself sets the value; a warning for a parameter, because a state may give it a value of another type.
void check_condition_types(const Workflow& workflow, Diagnostics& diagnostics);

// action_checks.cc: missing tools, workflows and prompts, timeouts out of range, values in commands at places where
// they cannot be quoted, names that cannot be set, unknown states.
void check_actions(const Workflow& workflow, const std::vector<std::string>& given, const CheckContext& check_context,
                   Diagnostics& diagnostics);

// shell_syntax.cc: commands that a shell cannot read: quotes that are not closed, a missing `fi`, `${` without `}`.
// Commands with tags, or with `raw`, are left out: their text is known only during a run.
void check_shell_syntax(const Workflow& workflow, const ShellReader& reader, Diagnostics& diagnostics);

// dropped_status.cc: a command in quotes that is a list such as `make; make install`: a failure of `make` is lost,
// because only a block begins with `set -e`. The same for `make | tee log`, except where `pipefail` is set. Warns of the
// first command whose failure is lost, but not where the command handles failures itself, or where this cheap reading of
// it is in doubt.
void check_dropped_status(const ShellAction& shell, const Workflow& workflow, Diagnostics& diagnostics);

// What the checks of a workflow's actions may use, and where they report mistakes.
struct ActionCheck {
  // Reports a workflow or prompt that is missing or cannot be used: an error if around.must_exist, else a warning.
  void missing(std::size_t offset, std::string message);
  void shell_is_usable(const NamedPlace& shell);

  const Workflow& workflow;
  const std::vector<std::string>& given;  // the names that --var gives
  const CheckContext& around;
  Diagnostics& diagnostics;
  bool told_of_command = false;  // the problem with the command for prompts was reported; once per file is enough
};

// Reports a parameter or variable whose name every run sets itself: an error, or a warning if the workflow may set it,
// too (is_settable_run_name() in model.h).
void check_own_name(const std::string& name, std::size_t offset, Diagnostics& diagnostics);

// tool_argument_checks.cc: compares the arguments of `Call tool` with the tool's schema: names, required arguments, and
// the types, ranges and lengths of values that are known before a run. `schema` is JSON text of an object schema; a
// part of it that is not understood is ignored.
void check_tool_arguments(const ToolAction& action, const std::string& schema, std::optional<std::int64_t> timeout_max,
                          Diagnostics& diagnostics);

// Reports a `timeout` of a step that is longer than `longest` seconds.
void check_timeout(const TemplateText& timeout, std::int64_t longest, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
