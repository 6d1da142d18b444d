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

// Takes the places of standard descriptors that are closed, so that no file that is opened later gets one of them:
// reading such a standard input and writing such a standard output fail, such a standard error swallows. First of all.
void fill_closed_descriptors();

}  // namespace wtool::host
