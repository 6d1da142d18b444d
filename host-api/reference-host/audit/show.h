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

// Calls `print` with a line of text for each event, oldest first, until it returns false. The line has no newline, and
// nothing that controls a terminal. Empty: all were shown, or `print` returned false. Otherwise why the trail could not
// be read; of a file without any event, nothing is printed.
std::string show(const std::string& file, const ShowOptions& options,
                 const std::function<bool(std::string_view line)>& print);

// One event, in the form that show() prints. `line` is a line of a trail; any other text gives an empty one.
std::string describe(std::string_view line);

}  // namespace wtool::host::audit
