// The standard input of a command, as an unnamed file in memory that is read from its beginning.
//
// - The file is sealed, so nobody can change it, not even the command. Each call has its own file.
// - It is a file rather than a pipe, so nothing has to be written while the command runs, a command that does not read
//   its input causes no SIGPIPE and no delay, and the command may be handed over again when its custodian dies.
#pragma once

#include <string_view>

#include "base/descriptor.h"

namespace wtool::engine {

// On failure, the descriptor is empty and `error` is the errno. On success, `error` is 0.
Descriptor make_input_file(std::string_view text, int& error);

}  // namespace wtool::engine
