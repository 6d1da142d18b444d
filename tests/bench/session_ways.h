// What is measured of the terminal tools, while so many other sessions are open.
#pragma once

#include <string>

#include "way.h"

namespace wtool::bench {

// Opens a session; it is closed again outside of the time.
Way session_creation(unsigned sessions);

// Runs the program, by its path, in one of the sessions after the other.
Way session_command(unsigned sessions, const std::string& program);

// Closes a session in which so many processes live in the background; they were started outside of the time.
Way session_close(unsigned sessions, unsigned background);

}  // namespace wtool::bench
