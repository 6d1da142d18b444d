// A small host that makes one call and prints how much its own memory grew, as one JSON object: {"grown_kib": the peak
// during the call minus the memory before it, "took_ms", "result"}.
//
// Usage: measured_host ARGUMENTS
// It is a separate process, so that no earlier peak hides the growth. The result is parsed only after the measurement.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <wtool/cpp/host.hpp>

#include "support/plugin.h"
#include "support/processes.h"

using namespace wtool::test;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  tool.shell("true");

  // Writing 5 resets the peak to what is resident now.
  const int clear = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
  if (clear < 0 || write(clear, "5", 1) != 1) return 3;
  close(clear);
  const long before = status_kib(getpid(), "VmHWM");
  const auto began = std::chrono::steady_clock::now();
  wtool::Call call(tool.get(), wtool::make_request(argv[1]));
  const wtool_status status = call.run();
  const long grown = status_kib(getpid(), "VmHWM") - before;
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began).count();
  if (status != WTOOL_OK) return 4;
  const Json answer{{"grown_kib", grown}, {"took_ms", took}, {"result", Json::parse(call.result())}};
  std::puts(answer.dump().c_str());
  return 0;
}
