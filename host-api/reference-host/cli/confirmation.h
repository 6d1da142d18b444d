// `Wait for user confirmation`: asks a person on the terminal whether a workflow goes on.
#pragma once

#include <optional>
#include <string>

#include "base/stop.h"
#include "terminal/terminal.h"

namespace wtool::host {

// Only y and yes confirm; Enter, no, the end of the input and what is not understood five times do not. Nothing: there
// is no terminal that this process is in the foreground of, or a stop was requested. One question at a time: others
// wait. Any thread.
std::optional<bool> confirm_on_terminal(const std::string& question, Stop& stop,
                                        Terminal& terminal = Terminal::of_process());

}  // namespace wtool::host
