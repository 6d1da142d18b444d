// Asks a shell whether it can read commands, with its option -n: it reads them, and runs nothing.
#pragma once

#include <string>
#include <vector>

#include "workflow/check/shell_syntax.h"

namespace wtool::host {

// `shell` is the program that runs the commands, or the name of one. One process for all of them where it can read all;
// else a few more, to find out which it cannot read. Nothing is said of what it could not be asked about: an unknown
// kind of shell, more processes than a person would wait for.
std::vector<workflow::ShellMistake> unreadable_commands(const std::string& shell,
                                                        const std::vector<std::string>& commands);

}  // namespace wtool::host
