#include "warden/resource_monitor.h"

#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "system/process_files.h"
#include "warden/clock.h"

namespace wtool::warden {

namespace {

// The first and the longest interval when samples are taken only for the figures in the result. Each interval is four
// times as long as the one before.
constexpr std::int64_t first_look_ms = 5;
constexpr std::int64_t max_ms = 2000;
// The interval when there is a limit on memory or processes that no cgroup enforces. Both can grow fast: at 4 GB a
// second, memory grows by 20 MB between two samples.
constexpr std::int64_t close_watch_ms = 5;
constexpr std::int64_t close_watch_max_ms = 200;
// With a limit on CPU time, intervals become shorter as the use comes close to the limit, but not shorter than this.
constexpr std::int64_t shortest_for_cpu_ms = 10;
// If the kernel also enforces the memory limit, the monitor's limit is 1 + 1/slack_when_held times as high.
constexpr std::uint64_t slack_when_held = 4;
// An interval is at least this many times as long as a sample takes.
constexpr std::int64_t cost_factor = 10;

struct MemorySum {
  std::uint64_t certain_kib = 0;
  std::uint64_t doubtful_kib = 0;  // of processes that may share their parent's memory
};

enum class Sharing { no, yes, unknown };

// Returns whether a process and its parent share their memory.
Sharing shares_memory(const ProcessTree::Member& member) {
  const long compared = ::syscall(SYS_kcmp, member.process, member.parent, KCMP_VM, 0UL, 0UL);
  if (compared >= 0) return compared == 0 ? Sharing::yes : Sharing::no;
  // kcmp is missing or not allowed. A parent that sleeps uninterruptibly and has the same amount of memory as its child
  // may be waiting for a vfork child.
  ProcessStatus parent;
  ProcessMemory its, own;
  const bool may = read_status(member.parent, parent) && parent.state == 'D' && read_memory(member.parent, its) &&
                   read_memory(member.process, own) && its.held_kib == own.held_kib;
  return may ? Sharing::unknown : Sharing::no;
}

MemorySum sum_memory(const ProcessTree& tree) {
  MemorySum sum;
  for (const ProcessTree::Member& member : tree.members()) {
    // This is checked before the memory is read: in the other order, a vfork child that calls exec in between would
    // cause its parent's memory to be counted twice.
    const Sharing sharing = member.parent == ::getpid() ? Sharing::no : shares_memory(member);
    std::uint64_t share = 0;
    if (sharing == Sharing::yes || !read_memory_share(member.process, share)) continue;
    if (sharing == Sharing::no) sum.certain_kib += share;
    if (sharing == Sharing::unknown) sum.doubtful_kib += share;
  }
  return sum;
}

}  // namespace

void ResourceMonitor::begin(const ProtocolLimits& limits, bool held) {
  limits_ = limits;
  in_hurry_ = !held && (limits.processes != 0 || limits.memory_bytes != 0);
  if (held) limits_.memory_bytes += limits_.memory_bytes / slack_when_held;
  processes_ = 1;
  tree_kib_ = used_ = 0;
  interval_ms_ = first_look_ms;
  next_sample_ms_ = now_ms() + interval(0, 0);
}

Limit ResourceMonitor::sample(ProcessTree& tree, std::uint64_t reaped_us, std::uint64_t cgroup_us) {
  const std::int64_t began = now_ms();
  tree.collect();
  std::uint32_t processes = 0;
  std::uint64_t cpu_us = reaped_us, private_kib = 0, held_kib = 0;
  // Parents come before their children. If a child is reaped after its parent was read but before the child is read,
  // this sample lacks the child's CPU time. In the other order, that time would be counted twice.
  for (const ProcessTree::Member& member : tree.members()) {
    ProcessStatus status;
    if (!read_status(member.process, status)) continue;
    cpu_us += status.cpu_us;
    if (status.exiting) continue;
    ++processes;
    ProcessMemory memory;
    if (read_memory(member.process, memory)) {
      private_kib += memory.private_kib;
      held_kib += memory.held_kib;
    }
  }
  cpu_us = std::max(cpu_us, cgroup_us);
  processes_ = std::max(processes_, processes);
  tree_kib_ = std::max(tree_kib_, private_kib);
  const Limit exceeded = judge(tree, processes, held_kib, cpu_us);
  const std::int64_t ended = now_ms();
  next_sample_ms_ = ended + interval(ended - began, cpu_us);
  return exceeded;
}

Limit ResourceMonitor::judge(const ProcessTree& tree, std::uint32_t processes, std::uint64_t held_kib,
                             std::uint64_t cpu_us) {
  if (limits_.processes != 0 && processes > limits_.processes) {
    used_ = processes;
    return Limit::processes;
  }
  if (limits_.memory_bytes != 0 && held_kib * 1024 > limits_.memory_bytes && memory_is_exceeded(tree)) {
    return Limit::memory_bytes;
  }
  if (limits_.cpu_seconds != 0 && cpu_us >= limits_.cpu_seconds * 1'000'000) {
    used_ = cpu_us;
    return Limit::cpu_seconds;
  }
  return Limit::none;
}

// Measures exactly: a page that processes share is counted once. Pages that a file backs are left out, since the kernel
// can drop them. Processes that share all their memory (a vfork child before its exec) are counted once. If the kernel
// does not say whether two processes share their memory, the limit is taken as exceeded only after several samples
// above it.
bool ResourceMonitor::memory_is_exceeded(const ProcessTree& tree) {
  constexpr int looks = 5;
  constexpr timespec pause{0, 1'000'000};
  for (int look = 1;; ++look) {
    const MemorySum sum = sum_memory(tree);
    tree_kib_ = std::max(tree_kib_, sum.certain_kib);
    used_ = sum.certain_kib * 1024;
    if (used_ > limits_.memory_bytes) return true;
    used_ += sum.doubtful_kib * 1024;
    if (used_ <= limits_.memory_bytes) return false;
    if (look == looks) return true;
    ::nanosleep(&pause, nullptr);
  }
}

std::int64_t ResourceMonitor::interval(std::int64_t cost_ms, std::uint64_t cpu_us) {
  const std::int64_t most = interval_ms_;
  interval_ms_ = std::min(interval_ms_ * 4, max_ms);
  std::int64_t wait = most;
  if (limits_.cpu_seconds != 0) {
    // The next sample comes no later than when all processors together could have used up the remaining CPU time, but
    // after at least shortest_for_cpu_ms.
    static const auto processors = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    const std::uint64_t limit_us = limits_.cpu_seconds * 1'000'000;
    const std::uint64_t left_us = limit_us - std::min(limit_us, cpu_us);
    wait = std::min(wait, std::max(static_cast<std::int64_t>(left_us / processors / 1000), shortest_for_cpu_ms));
  }
  if (in_hurry_) {
    wait = std::min(wait, std::clamp(cost_ms * cost_factor, close_watch_ms, close_watch_max_ms));
  }
  return std::max(wait, cost_ms * cost_factor);
}

}  // namespace wtool::warden
