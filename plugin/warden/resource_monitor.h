// Measures, for the custodian, what a command's tree uses: the peak, and whether it exceeds a limit.
//
// Contract:
// - It samples: between two samples, a tree can use more than any sample shows. The intervals are short if a limit
//   could be exceeded, long if the figures are only for the result, and always long compared with the time that a
//   sample takes.
// - It ignores the limits on open files and on the size of files, which the kernel enforces. It watches CPU time, which
//   the kernel limits only for each process separately.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "system/process_tree.h"
#include "warden/protocol.h"

namespace wtool::warden {

class ResourceMonitor {
 public:
  // Call it when a command with these limits has just started. `held`: a cgroup limits its memory and processes. The
  // monitor then samples them less often, so that the kernel, which counts shared memory differently, decides first.
  // The monitor still samples them, because a command may have the right to leave its cgroup.
  void begin(const ProtocolLimits& limits, bool held);

  // When to take the next sample, as a time of now_ms().
  std::int64_t next_sample() const { return next_sample_ms_; }

  // Collects the tree and samples it. `reaped_us`: the CPU time of processes that are gone, as far as wait(2) reported
  // it. `cgroup_us`: the CPU time of all processes, 0 without a cgroup. Returns the limit that is exceeded, if any, and
  // updates used().
  Limit sample(ProcessTree& tree, std::uint64_t reaped_us, std::uint64_t cgroup_us);

  // How much was used, if the last sample exceeded a limit: in the limit's unit, but CPU time in microseconds.
  std::uint64_t used() const { return used_; }

  // The highest values of all samples.
  std::uint32_t processes() const { return processes_; }
  std::uint64_t tree_kib() const { return tree_kib_; }

 private:
  Limit judge(const ProcessTree& tree, std::uint32_t processes, std::uint64_t held_kib, std::uint64_t cpu_us);
  bool memory_is_exceeded(const ProcessTree& tree);
  std::int64_t interval(std::int64_t cost_ms, std::uint64_t cpu_us);

  ProtocolLimits limits_{};
  bool in_hurry_ = false;
  std::int64_t next_sample_ms_ = 0;
  std::int64_t interval_ms_ = 0;
  std::uint32_t processes_ = 0;
  std::uint64_t tree_kib_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace wtool::warden
