// The line of a workflow file that a diagnostic is about, with a caret below the place.
#pragma once

#include <cstddef>
#include <string>

#include "workflow/model/source.h"

namespace wtool::host::workflow {

// Two lines, each with a newline. Of a long line, only the part around the place. Control characters are shown as '?',
// so that a file cannot control the terminal; tabs stay.
std::string line_with_caret(const Source& source, std::size_t offset);

}  // namespace wtool::host::workflow
