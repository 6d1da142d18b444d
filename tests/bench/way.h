// A way of doing what the benchmark measures, and the protocol by which measure.py runs it.
//
// A worker is a process that repeats one operation. It says "ready NOTE" on standard output once it can begin, or
// "cannot REASON"; then each line "run N" on standard input is answered by "took FIGURE..." or "failed REASON". A
// figure is in nanoseconds unless the way says otherwise. The worker ends at the end of its input.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace wtool::bench {

using Clock = std::chrono::steady_clock;
using Figures = std::vector<std::int64_t>;

// Thrown for what ends a measurement: the reason is shown in the table.
using Failure = std::runtime_error;

struct Way {
  std::function<Figures(unsigned count)> run;
  std::string note{};  // for the table, such as what of the configuration had no effect
};

inline std::int64_t nanoseconds_since(Clock::time_point began) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
}

// The way that times `body`, once for each figure.
Way timed(std::function<void()> body);

// Makes the process really use this much memory until its end, like a large host.
void touch_memory(std::size_t megabytes);

// What every worker's command line begins with: WAY [--host-mb N] [--config JSON] [--] ARGUMENT...
struct WorkerArguments {
  std::string way;
  std::size_t host_megabytes = 10;
  std::string configuration = "{}";
  std::vector<std::string> rest;
};
WorkerArguments parse_arguments(int argc, char** argv);

// Runs the protocol for the way that `make` returns, in a process of the size asked for. Returns the exit status.
int serve(const WorkerArguments& arguments, const std::function<Way()>& make);

}  // namespace wtool::bench
