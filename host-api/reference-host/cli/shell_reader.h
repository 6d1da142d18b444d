// Asks a shell whether it can read commands, with its option -n: it reads them, and runs nothing.
#pragma once

#include <string>
#include <vector>

#include "workflow/check/checker.h"

namespace wtool::host {

// The commands that the shell cannot read. `shell` is its path or name. One process reads all commands if it can;
// otherwise a few more find out which it cannot read. Says nothing about commands that could not be checked: for an
// unknown kind of shell, or beyond the number of processes that a person would wait for.
std::vector<workflow::ShellMistake> unreadable_commands(const std::string& shell,
                                                        const std::vector<std::string>& commands);

}  // namespace wtool::host
