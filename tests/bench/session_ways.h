// What the benchmark measures about the terminal tools. Meanwhile, `sessions` other sessions are open.
#pragma once

#include <string>

#include "way.h"

namespace wtool::bench {

// Opens a session. The time does not include closing it again.
Way session_creation(unsigned sessions);

// Runs the program, given by its path, in each of the sessions in turn.
Way session_command(unsigned sessions, const std::string& program);

// Closes a session in which `background` processes live in the background. The time does not include starting them.
Way session_close(unsigned sessions, unsigned background);

}  // namespace wtool::bench
