// What the actions Shell and Service have in common: how the command and its options are read and checked (shell.cc).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "workflow/actions/action_type.h"

namespace wtool::host::workflow {

// Reads the command, in quotes or in the block below, without its options. False: a diagnostic says why.
bool read_shell_command(ActionReading& in, ShellAction& made);

// The options of the command, as messages show them.
inline constexpr std::array<std::string_view, 5> shell_option_names{"working_dir", "env", "env_file", "shell",
                                                                    "shell_options"};

// The option that `name` stands for: `working_directory` stands for working_dir, and `environment` for env. Empty:
// `name` is not an option of the command.
std::string shell_option_of(const std::string& name);

// Reads such an option and its value. False: a diagnostic says why.
bool read_shell_option(ActionReading& in, const std::string& name, ShellAction& made);

// Parses the template in a command that was read.
void parse_command(CommandText& command, Diagnostics& diagnostics);

void check_shell(const ShellAction& shell, const Action& action, ActionCheck& check);
// Checks only the command of `shell`: the places of its placeholders, and the policy's verdict.
void check_shell_command(const ShellAction& shell, ActionCheck& check);

}  // namespace wtool::host::workflow
