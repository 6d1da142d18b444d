// Makes a shell command from a template: every value is quoted for its place. Also finds out which shell runs the
// command, with which options.
//
// Without tags, the places are known once the template is parsed. With tags, the tags are evaluated first. The result
// is a text with values in it, and the places are found in that text. So a tag may produce any part of a command, even
// a quote, and a loop's value is quoted in the same way as every other value.
//
// A block stops at its first command that fails: its first line is `set -e`, or `set -eo pipefail` if the workflow or
// the action chooses bash (not every sh has pipefail). `shell_options` replaces these options. A one-line command in
// quotes gets such a line only if its own action has `shell_options`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "expressions/expression.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// The kernel refuses an argument of 128 KiB, and a command line is one argument of the shell.
inline constexpr std::size_t max_command = 100 * 1024;  // bytes

// Reports placeholders at refused places, and a command without tags that is too long even without its values. In tags,
// each branch and each loop body is checked once. Returns whether it has found no mistake.
bool check_command(const CommandText& command, Diagnostics& diagnostics);

// The command with a plain word in place of each value, for a check of its syntax. Nothing: the command has tags or
// inserts a value without quoting, so its text is known only during a run; or the command cannot be made.
std::optional<std::string> command_with_words(const CommandText& command);

// The command, or what is wrong with a value (the offset is that of the placeholder in command.written).
std::variant<std::string, expressions::ExpressionError> render_command(const CommandText& command,
                                                                       const expressions::Scope& scope);

// The shell that runs the command: "sh", "bash" or an absolute path; empty: the configured shell.
std::string shell_of(const ShellAction& action, const Workflow& workflow);

// The line that sets the shell options of the command, such as "set -e\n"; may be empty.
std::string first_line_of(const ShellAction& action, const Workflow& workflow);

// Why a workflow cannot choose this shell; empty: it can.
std::string problem_of_shell(const std::string& shell);

// Parses `shell_options`: options of `set`, such as "-eu" or "-e -o pipefail"; "none" and "" mean no options. Returns
// why they are invalid. Empty: they are valid, and `options` gets the arguments for `set`.
std::string read_shell_options(const std::string& written, std::string& options);

}  // namespace wtool::host::workflow
