// `Wait for user confirmation`: asks a person on the terminal whether a workflow goes on.
#pragma once

#include <optional>
#include <string>

#include "loader/stop.h"

namespace wtool::host {

// Enter and yes go on; no and the end of the input do not; what is neither is asked again. Nothing: there is no
// terminal that this process is in the foreground of, or a stop was requested. One question at a time: others wait. Any
// thread.
std::optional<bool> confirm_on_terminal(const std::string& question, Stop& stop);

}  // namespace wtool::host
