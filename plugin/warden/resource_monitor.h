// The custodian's eye on what a command's tree uses: how much at most, and whether it is more than it may.
//
// Contract:
// - Looks now and then, never all the time: between two looks a tree can use more than is ever seen. The intervals are
//   short where a limit is at stake, long where the figures are for the result alone, and always long against the time
//   that a look takes.
// - Knows no limit that the kernel watches over by itself, but for CPU time, which the kernel counts for each process
//   alone.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "system/process_tree.h"
#include "warden/protocol.h"

namespace wtool::warden {

class ResourceMonitor {
 public:
  // A command with these limits has just started. `held`: a cgroup holds its memory and processes. They are judged all
  // the same, because a command may have the right to leave its cgroup, but there is no hurry, and the kernel, which
  // counts shared memory otherwise, has the first word.
  void begin(const Limits& limits, bool held);

  // When to look next: milliseconds of now_ms().
  std::int64_t next_sample() const { return next_sample_ms_; }

  // Collects the tree and looks at it. `reaped_us`: the CPU time of those that are gone, as far as it was told to who
  // waited for them. `cgroup_us`: the CPU time of all, 0 where no cgroup counts it. Says which limit is exceeded, if
  // one is, and sets used().
  Limit sample(ProcessTree& tree, std::uint64_t reaped_us, std::uint64_t cgroup_us);

  // What look() found to be too much, in the unit of the limit; CPU time in microseconds.
  std::uint64_t used() const { return used_; }

  // The most that was seen at once.
  std::uint32_t processes() const { return processes_; }
  std::uint64_t tree_kib() const { return tree_kib_; }

 private:
  Limit judge(const ProcessTree& tree, std::uint32_t processes, std::uint64_t resident_kib, std::uint64_t cpu_us);
  bool memory_is_exceeded(const ProcessTree& tree);
  std::int64_t interval(std::int64_t cost_ms, std::uint64_t cpu_us);

  Limits limits_{};
  bool in_hurry_ = false;
  std::int64_t next_sample_ms_ = 0;
  std::int64_t interval_ms_ = 0;
  std::uint32_t processes_ = 0;
  std::uint64_t tree_kib_ = 0;
  std::uint64_t used_ = 0;
};

}  // namespace wtool::warden
