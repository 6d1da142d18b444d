// What a call costs over the least that running a program can cost, measured in one run.
//
// - floor: vfork, two pipes, exec and wait of /usr/bin/true, and nothing else: no supervision at all.
// - call:  shell_execute {"command": "/usr/bin/true"} through the C interface, from call_new to call_free.
//
// The two alternate in an order that is shuffled anew each round, so that whatever the machine does meanwhile hits
// both. Only the ratio of the medians means something; the times are those of this machine at this moment. Prints a
// table on standard output, and one JSON object as its last line.
//
// Usage: true_call [ROUNDS] [MAX_RATIO]   (default 2000; with a MAX_RATIO, exits with 1 when the ratio is larger)
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <vector>
#include <wtool/cpp/host.hpp>

#include "support/plugin.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr char program[] = "/usr/bin/true";

[[noreturn]] void fail(const char* what) { throw std::runtime_error(what); }

// The floor does what any capture must do: both pipes are read to their end.
void run_bare() {
  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) fail("pipe2");
  static char name[] = "/usr/bin/true";
  char* const argv[] = {name, nullptr};
  const pid_t pid = vfork();
  if (pid == 0) {
    dup2(out[1], 1);
    dup2(err[1], 2);
    execve(program, argv, environ);
    _exit(127);
  }
  if (pid < 0) fail("vfork");
  close(out[1]);
  close(err[1]);
  char buffer[256];
  for (const int fd : {out[0], err[0]}) {
    while (read(fd, buffer, sizeof buffer) > 0) {
    }
    close(fd);
  }
  int status = 0;
  if (waitpid(pid, &status, 0) != pid || status != 0) fail("wait");
}

void run_call(const wtool_tool& tool) {
  wtool::Call call(tool, wtool::make_request(R"({"command":"/usr/bin/true"})"));
  if (call.run() != WTOOL_OK || call.result().find("\"is_error\":false") == std::string_view::npos) fail("call");
}

template <typename Body>
double microseconds(Body&& body) {
  const auto began = Clock::now();
  body();
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

// The value below which `share` of them lie.
double quantile(std::vector<double> values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 2000;
  const double max_ratio = argc > 2 ? std::atof(argv[2]) : 0;
  if (rounds < 1) fail("usage: true_call [ROUNDS] [MAX_RATIO]");
  wtool::test::Plugin plugin;
  const wtool::test::ToolUnderTest tool(plugin);
  for (int i = 0; i < 20; ++i) {  // The first calls also start the warden and fill caches.
    run_bare();
    run_call(tool.get());
  }
  std::array<std::vector<double>, 2> times;
  std::array<int, 2> order{0, 1};
  std::mt19937 random(std::random_device{}());
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    for (const int which : order) {
      times[static_cast<std::size_t>(which)].push_back(which == 0 ? microseconds(run_bare)
                                                                  : microseconds([&] { run_call(tool.get()); }));
    }
  }
  const double floor = quantile(times[0], 0.5);
  const double call = quantile(times[1], 0.5);
  const double ratio = call / floor;
  std::printf("%-28s %10s %10s %10s\n", "microseconds", "median", "p10", "p90");
  std::printf("%-28s %10.1f %10.1f %10.1f\n", "vfork, pipes, exec, wait", floor, quantile(times[0], 0.1),
              quantile(times[0], 0.9));
  std::printf("%-28s %10.1f %10.1f %10.1f\n", "shell_execute", call, quantile(times[1], 0.1), quantile(times[1], 0.9));
  std::printf("ratio of the medians %.3f over %d rounds\n", ratio, rounds);
  std::printf("{\"benchmark\":\"true_call\",\"rounds\":%d,\"floor_us\":%.1f,\"call_us\":%.1f,\"ratio\":%.3f}\n", rounds,
              floor, call, ratio);
  return max_ratio > 0 && ratio > max_ratio ? 1 : 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "true_call: %s\n", error.what());
  return 2;
}
