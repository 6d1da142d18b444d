// Standard output as a person at a terminal reads it: how wide it is, and tables that fit.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "terminal/text.h"

namespace wtool::host {

inline bool output_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

// The terminal's width. 0: standard output is no terminal, or does not say.
inline std::size_t output_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// The table with lines of at most `columns`; unchanged for 0, so that programs get all of it. `table` must be clean.
inline std::string fitted(const std::string& table, std::size_t columns) {
  if (columns == 0) return table;
  std::string out;
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = std::min(table.find('\n', at), table.size());
    out += cut_to_width(std::string_view(table).substr(at, end - at), columns) + '\n';
    at = end + 1;
  }
  return out;
}

}  // namespace wtool::host
