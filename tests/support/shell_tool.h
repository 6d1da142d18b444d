// The fixture of most behaviour tests: a fresh plugin with shell_execute, and how strict to be about time and counts.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "support/plugin.h"
#include "support/processes.h"
#include "support/program.h"

namespace wtool::test {

#ifdef WTOOL_UNDER_SANITIZER
inline constexpr bool under_sanitizer = true;
#else
inline constexpr bool under_sanitizer = false;
#endif

// The counters of tests/coverage/run take memory.
#ifdef WTOOL_WITH_COUNTERS
inline constexpr bool with_counters = true;
#else
inline constexpr bool with_counters = false;
#endif

// How often to repeat a test of a race: fully in a plain build, fewer times where everything is slow.
inline constexpr int repeats(int plain) { return under_sanitizer ? (plain + 9) / 10 : plain; }

// A bound that only a hang exceeds: ten times what a quiet machine needs, and more under sanitizers. Speed is
// measured by the benchmark, not here.
inline constexpr std::chrono::milliseconds within(int milliseconds) {
  return std::chrono::milliseconds(milliseconds * (under_sanitizer ? 20 : 10));
}

struct ShellTool {
  Plugin plugin;
  ToolUnderTest tool{plugin};
  Mark mark;
  ScratchFolder scratch;

  // Arguments whose command, and all that it starts, bear the mark.
  Json marked(std::string_view command) const {
    return Json{{"command", command}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}};
  }
};

}  // namespace wtool::test
