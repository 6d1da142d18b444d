// Reads a command line as a shell would, as far as that can be done without running anything. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::policy {

// The words of a line that is one simple command of literal words: quotes of both kinds are understood, everything
// whose meaning depends on the shell or on run time (expansion, glob, operator, assignment, comment, backslash,
// newline, ...) is not. Nothing when the line is anything else, or when its first word is a shell builtin or keyword.
//
// What it returns, a POSIX shell would execute with exactly these words: a line that it accepts needs no shell.
std::optional<std::vector<std::string>> plain_command(std::string_view line);

// True for the builtins and keywords of dash and bash: a program of this name may exist, but the shell does not run it.
bool is_shell_word(std::string_view word);

}  // namespace wtool::policy
