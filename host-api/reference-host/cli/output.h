// Writing to the standard streams so that nothing is lost in silence. All of it is unbuffered: what was written is out.
#pragma once

#include <string_view>

#include "base/files.h"

namespace wtool::host {

// Writes to standard output. False when that failed (closed pipe, full disk); the reason is then on stderr, and the
// program's exit status must be exit_unusable.
bool print(std::string_view text);

// One message to standard error: "wtool: MESSAGE" and a newline. Control characters are escaped, newlines are kept.
void complain(std::string_view message);

// Opens placeholders for standard descriptors that are closed, so that no file opened later gets their numbers. Reading
// from such a standard input and writing to such a standard output fail; writes to such a standard error are lost. Call
// it first.
void fill_closed_descriptors();

}  // namespace wtool::host
