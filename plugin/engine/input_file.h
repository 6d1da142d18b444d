// A text as a command's standard input: a file in memory, without a name, read from its beginning.
//
// - Nobody can change it, the command included: it is sealed. Each call has its own.
// - A file rather than a pipe: nothing has to be written while the command runs, a command that does not read its input
//   gets no signal and delays nothing, and the command may be handed over again when its custodian dies.
#pragma once

#include <string_view>

#include "base/descriptor.h"

namespace wtool::engine {

// An empty descriptor, with errno in `error`, on failure.
Descriptor make_input_file(std::string_view text, int& error);

}  // namespace wtool::engine
