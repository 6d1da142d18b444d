// Everything that is measured of the plugin itself, through the C interface.
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

// One call of the command line, from call_new to call_free; all that the result must say is that it is no error. The
// note says when a sandbox was configured and the result knows of none.
Way call(const HostPointer& host, const std::string& line);

// So many calls at once, each on a thread of its own.
Way calls_at_once(const HostPointer& host, unsigned threads, const std::string& line);

// From call_cancel to the return of call_run, of a command that has said "ready". `now`: without the long grace period.
// Where any process of the command is left when call_run has returned, the time goes on until it is gone.
Way stop(const HostPointer& host, const std::string& line, bool now);

// Stops so many commands (now), four at a time, each the next of `lines`; a figure is the number of processes of that
// command that are left when call_run has returned.
Way survivors(const HostPointer& host, std::vector<std::string> lines);

// KiB by which the host's peak of resident memory during the call is above what it was before.
Way memory_growth(const HostPointer& host, const std::string& line);

// Makes so many calls; the figures are what there is afterwards: of the host, descriptors, threads, children (zombies
// included), KiB of resident memory; of the warden, custodians and KiB of its own.
Way endurance(const HostPointer& host, const std::string& line);

}  // namespace wtool::bench
