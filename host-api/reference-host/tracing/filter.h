// Which records are kept: a default level, and levels for targets, as in `info,shell_tools=debug,a::b=off`.
//
// - The longest target that matches decides; a target matches itself and what is below it (`a` matches `a::b`, not
//   `ab`). Of two directives for the same target the later one counts.
// - Without a default level in the text, the built-in one counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wtool::host {

// The numbers are those of wtool.log/1; off is above them all.
enum class LogLevel : std::uint8_t { trace = 1, debug = 2, info = 3, warn = 4, error = 5, off = 6 };

// "TRACE" ... "ERROR", "OFF".
std::string_view level_name(LogLevel level);

class LogFilter {
 public:
  explicit LogFilter(LogLevel everything) : everything_(everything) {}

  // False: `error` names the directive and what is allowed, and the filter is as before.
  bool parse(std::string_view directives, std::string& error);

  bool enabled(LogLevel level, std::string_view target) const;

 private:
  LogLevel everything_;
  std::vector<std::pair<std::string, LogLevel>> targets_;  // the longest first
};

}  // namespace wtool::host
