// Text for XML and HTML, between tags and in attributes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "runner/outcome.h"

namespace wtool::host::report {

// Valid UTF-8 without escape sequences and characters that XML does not allow, with `& < > " '` escaped. Newlines stay;
// tabs become blanks.
std::string markup_text(std::string_view text);

// The end of a long text, not more than so many bytes of it, with a line that says what is missing.
std::string bounded_text(std::string_view text, std::size_t most);

// The end of an output for a report: at most so many bytes, below a line that says what is missing.
std::string bounded_output(const std::string& text, const runner::WholeOutput& whole, std::size_t most);

}  // namespace wtool::host::report
