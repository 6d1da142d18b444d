// A host whose wall clock jumps by hours, back and forth, each time it is read. Prints the results of two calls as one
// JSON object.
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "support/plugin.h"

namespace {

std::atomic<int> looks{0};

time_t jump() { return (looks++ % 2 == 0 ? 1 : -1) * 10 * 3600; }

}  // namespace

// Replaces the function of the C library, for this program and everything that it loads.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) time->tv_sec += jump();
  return static_cast<int>(result);
}

extern "C" time_t time(time_t* where) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (where != nullptr) *where = now.tv_sec;
  return now.tv_sec;
}

extern "C" int gettimeofday(timeval* where, void*) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  *where = {now.tv_sec, now.tv_nsec / 1000};
  return 0;
}

int main() {
  const time_t first = time(nullptr);
  if (std::abs(time(nullptr) - first) < 3600) return 1;  // The clock does not jump.
  wtool::test::Plugin plugin;
  const wtool::test::ToolUnderTest tool(plugin);
  wtool::test::Json results;
  results["sleep 0.3"] = tool.run({{"command", "sleep 0.3"}, {"timeout", 60}}).result;
  results["sleep 61"] = tool.run({{"command", "sleep 61"}, {"timeout", 1}}).result;
  std::puts(results.dump().c_str());
  return 0;
}
