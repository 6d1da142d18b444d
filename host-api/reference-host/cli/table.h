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

// The terminal's width. 0: standard output is not a terminal, or does not report its width.
inline std::size_t output_columns() {
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// The columns for a question on standard output: not_a_terminal (0), or those of the terminal. A terminal that does not
// report its width gets the usual one, so that it breaks no line of a question itself.
inline std::size_t question_columns() {
  constexpr std::size_t usual = 80;
  const std::size_t columns = output_columns();
  return columns == 0 && output_is_terminal() ? usual : columns;
}

// The table with its lines cut to `columns` columns. It is unchanged if `columns` is 0, so that programs get
// everything. `table` must be safe for a terminal.
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

// For text that must be shown in full: wraps lines at blanks, so that they have at most `columns` columns. A continued
// line is indented by `indent`. Longer words stay whole, so that a path can be copied. The text is unchanged if
// `columns` is 0. `text` must be safe for a terminal.
inline std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  if (columns == 0) return text;
  if (indent > columns / 2) indent = 4;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    std::size_t begin = line.find_first_not_of(' ');  // a break is never within the indent of the line itself
    std::string before;
    while (begin != std::string_view::npos && display_width(line) + before.size() > columns) {
      std::size_t cut = std::string_view::npos;
      for (std::size_t blank = line.find(' ', begin); blank != std::string_view::npos;
           blank = line.find(' ', blank + 1)) {
        const bool fits = before.size() + display_width(line.substr(0, blank)) <= columns;
        if (cut != std::string_view::npos && !fits) break;
        cut = blank;
        if (!fits) break;
      }
      const std::size_t rest = cut == std::string_view::npos ? cut : line.find_first_not_of(' ', cut);
      if (rest == std::string_view::npos) break;
      const std::string_view first = line.substr(0, cut);
      out += before + std::string(first.substr(0, first.find_last_not_of(' ') + 1)) + '\n';
      line.remove_prefix(rest);
      before.assign(indent, ' ');
      begin = 0;
    }
    out += before + std::string(line) + '\n';
  }
  return out;
}

}  // namespace wtool::host
