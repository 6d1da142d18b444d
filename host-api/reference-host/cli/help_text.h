// The help of a command as a person at a terminal reads it.
#pragma once

#include <cstddef>
#include <string>

namespace wtool::host {

// The width for help on standard output: COLUMNS, else that of the terminal, but from 80 to 120, because longer lines are
// hard to read. 0: standard output is not a terminal, or the width is not known.
std::size_t help_columns();

// Wraps the paragraphs and descriptions of CLI11's help again, so that no line is wider than `columns`.
// Examples and other indented lines stay as they are. The text is unchanged if `columns` is 0.
std::string fitted_help(const std::string& help, std::size_t columns);

}  // namespace wtool::host
