// Which shell runs a Shell action, and the shell options with which its script begins.
//
// A block stops at its first command that fails: its first line is `set -e`, or `set -eo pipefail` if the workflow or
// the action chooses bash (not every sh has pipefail). `shell_options` replaces these options. A one-line command in
// quotes gets such a line only if its own action has `shell_options`.
#pragma once

#include <string>
#include <string_view>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

// "sh", "bash" or an absolute path; empty: the shell that is configured.
std::string shell_of(const ShellAction& action, const Workflow& workflow);

// "set -e\n", or what else the script begins with; may be empty.
std::string first_line_of(const ShellAction& action, const Workflow& workflow);

// Why a workflow cannot choose this shell; empty if it can.
std::string problem_of_shell(const std::string& shell);

// Parses `shell_options`: options of `set`, such as "-eu" or "-e -o pipefail"; "none" and "" mean no options. Returns
// why they are invalid; empty if `options` has the arguments for `set`.
std::string read_shell_options(const std::string& written, std::string& options);

}  // namespace wtool::host::workflow
