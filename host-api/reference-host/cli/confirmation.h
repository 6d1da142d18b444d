// `Wait for user confirmation`: asks a person on the terminal whether to continue a workflow.
#pragma once

#include <optional>
#include <string>

#include "base/stop.h"
#include "terminal/terminal.h"

namespace wtool::host {

// True for y and yes; false for no, Enter, the end of the input, or five answers that are not understood. Nothing where
// this process is not in the foreground of a terminal, or a stop was requested. One question is asked at a time; others
// wait. Any thread.
std::optional<bool> confirm_on_terminal(const std::string& question, Stop& stop,
                                        Terminal& terminal = Terminal::of_process());

}  // namespace wtool::host
