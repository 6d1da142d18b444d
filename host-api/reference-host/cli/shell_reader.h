// Asks a shell whether it can parse commands, with its option -n, which runs nothing.
#pragma once

#include <string>
#include <vector>

#include "workflow/check/checker.h"

namespace wtool::host {

// The commands that the shell cannot read. `shell` is its path or name. One process reads all commands, except those
// that may have a here-document. If it fails, further processes find out which commands are wrong. Commands that could
// not be checked are left out: those for an unknown kind of shell, and those that would need more processes than a
// person would wait for.
std::vector<workflow::ShellMistake> unreadable_commands(const std::string& shell,
                                                        const std::vector<std::string>& commands);

}  // namespace wtool::host
