// Everything that the benchmark measures about the plugin itself, through the C interface.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/plugin.h"
#include "way.h"

namespace wtool::bench {

// The plugin with one tool, shared by the copies of a way.
struct Host {
  explicit Host(const std::string& configuration)
      : configured(test::Json::parse(configuration)), tool(plugin, configured) {}
  const test::Json configured;
  test::Plugin plugin;
  test::ToolUnderTest tool;
};
using HostPointer = std::shared_ptr<Host>;

// Measures one call of the command line, from call_new to call_free. The result must not be an error. The note says if
// a sandbox was configured but the result does not mention it.
Way call(const HostPointer& host, const std::string& line);

// `threads` calls at the same time, each on its own thread.
Way calls_at_once(const HostPointer& host, unsigned threads, const std::string& line);

// The nanoseconds of processor time that one run of `way` takes, as the mean of 500 runs. Counts this process, the
// children that it has waited for, and what `host` has: the warden, the custodians and their commands. `host` may be
// null. The kernel counts in hundredths of a second.
Way processor_time(const HostPointer& host, Way way);

// Measures the time from call_cancel to the return of call_run, for a command that has said "ready". `now`: cancels now
// and not gracefully. If a process of the command is left when call_run returns, the time runs until it is gone.
Way stop(const HostPointer& host, const std::string& line, bool now);

// Cancels `count` commands (now), four at a time, each with the next of `lines`. A figure is the number of processes of
// the command that are left when call_run has returned.
Way survivors(const HostPointer& host, std::vector<std::string> lines);

// The KiB by which the host's peak of resident memory during the call exceeds its memory before the call.
Way memory_growth(const HostPointer& host, const std::string& line);

// Makes `count` calls. The figures are the state afterwards: the host's descriptors, threads, children (zombies
// included) and KiB of resident memory; the number of custodians, and the warden's KiB.
Way endurance(const HostPointer& host, const std::string& line);

}  // namespace wtool::bench
