// Shows an audit trail to people: one line an event. It does not verify anything.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace wtool::host::audit {

struct ShowOptions {
  std::string event{};     // only this kind; empty: all, and lines that cannot be read
  std::uint64_t last = 0;  // only the last so many; 0: all
  bool json = false;       // the lines themselves, in ASCII
};

// Calls `print` with a line of text (no newline, nothing in it that controls a terminal) for each event, oldest first,
// until it returns false. Empty: all were shown, or print had enough. Otherwise why the trail could not be read:
// nothing is printed of a file that holds no event.
std::string show(const std::string& file, const ShowOptions& options,
                 const std::function<bool(std::string_view line)>& print);

// One event, as show() gives it. `line` is a line of a trail; what is none gives an empty text.
std::string describe(std::string_view line);

}  // namespace wtool::host::audit
