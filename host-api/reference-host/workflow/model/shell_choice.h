// Which shell runs a Shell action, and the options of the shell that its script begins with.
//
// A block stops at its first command that fails: its first line is `set -e`, or `set -eo pipefail` where the workflow
// or the action chooses bash (sh has no pipefail everywhere). `shell_options` chooses other options. One line in quotes
// gets such a line only where its own action has `shell_options`.
#pragma once

#include <string>
#include <string_view>

#include "workflow/model/model.h"

namespace wtool::host::workflow {

// "sh", "bash" or an absolute path; empty: the shell that is configured.
std::string shell_of(const ShellAction& action, const Workflow& workflow);

// "set -e\n", or what else the script begins with; may be empty.
std::string first_line_of(const ShellAction& action, const Workflow& workflow);

// Why the text is no shell that a workflow can choose; empty: it is one.
std::string problem_of_shell(const std::string& shell);

// Takes `shell_options` as they are written: options of `set`, such as "-eu" or "-e -o pipefail"; "none" and "" are no
// options at all. Why they are no options; empty: `options` is what stands after `set`.
std::string read_shell_options(const std::string& written, std::string& options);

}  // namespace wtool::host::workflow
