#include "warden/watch.h"

#include <unistd.h>

#include <algorithm>

#include "warden/clock.h"
#include "warden/tree.h"

namespace wtool::warden {

namespace {

// For the figures alone: the first look, after which each interval is four times the last, up to the longest.
constexpr std::int64_t first_look_ms = 5;
constexpr std::int64_t longest_ms = 2000;
// With a limit on what can grow fast. At four gigabytes a second, memory grows by 20 MB between two looks.
constexpr std::int64_t close_watch_ms = 5;
constexpr std::int64_t close_watch_longest_ms = 200;
// With a limit on CPU time.
constexpr std::int64_t shortest_for_cpu_ms = 10;
// What the watch leaves to the kernel, as a part of the memory's limit.
constexpr std::uint64_t slack_when_held = 4;
// A look may take this part of the time.
constexpr std::int64_t cost_factor = 10;

}  // namespace

void Watch::begin(const Limits& limits, bool held) {
  limits_ = limits;
  in_hurry_ = !held && (limits.processes != 0 || limits.memory_bytes != 0);
  if (held) limits_.memory_bytes += limits_.memory_bytes / slack_when_held;
  processes_ = 1;
  tree_kib_ = used_ = 0;
  interval_ms_ = first_look_ms;
  next_look_ms_ = now_ms() + interval(0, 0);
}

Limit Watch::look(std::uint64_t reaped_us) {
  const std::int64_t began = now_ms();
  collect_tree(members_, {});
  std::uint32_t processes = 0;
  std::uint64_t cpu_us = reaped_us, private_kib = 0, resident_kib = 0;
  // Parents come before their children: one that waits for its child between the two loses us the child's time for this
  // once, where the other order would count it twice.
  std::erase_if(members_, [&](pid_t process) {
    ProcessStatus status;
    if (!read_status(process, status, text_)) return true;
    cpu_us += status.cpu_us;
    if (status.exiting) return true;
    ++processes;
    ProcessMemory memory;
    if (read_memory(process, memory, text_)) {
      private_kib += memory.private_kib;
      resident_kib += memory.resident_kib;
    }
    return false;
  });
  processes_ = std::max(processes_, processes);
  tree_kib_ = std::max(tree_kib_, private_kib);
  const Limit exceeded = judge(processes, resident_kib, cpu_us);
  const std::int64_t ended = now_ms();
  next_look_ms_ = ended + interval(ended - began, cpu_us);
  return exceeded;
}

Limit Watch::judge(std::uint32_t processes, std::uint64_t resident_kib, std::uint64_t cpu_us) {
  if (limits_.processes != 0 && processes > limits_.processes) {
    used_ = processes;
    return Limit::processes;
  }
  if (limits_.memory_bytes != 0 && resident_kib * 1024 > limits_.memory_bytes) {
    used_ = exact_memory_kib() * 1024;
    if (used_ > limits_.memory_bytes) return Limit::memory_bytes;
  }
  if (limits_.cpu_seconds != 0 && cpu_us >= limits_.cpu_seconds * 1'000'000) {
    used_ = cpu_us;
    return Limit::cpu_seconds;
  }
  return Limit::none;
}

// Shared pages once, and without those that the kernel can drop, because a file holds them.
std::uint64_t Watch::exact_memory_kib() {
  std::uint64_t sum = 0;
  for (const pid_t process : members_) {
    std::uint64_t share = 0;
    ProcessMemory memory;
    if (read_memory_share(process, share, text_)) {
      sum += share;
    } else if (read_memory(process, memory, text_)) {  // Another user's: its share is not ours to see.
      sum += memory.private_kib;
    }
  }
  tree_kib_ = std::max(tree_kib_, sum);
  return sum;
}

std::int64_t Watch::interval(std::int64_t cost_ms, std::uint64_t cpu_us) {
  const std::int64_t most = interval_ms_;
  interval_ms_ = std::min(interval_ms_ * 4, longest_ms);
  std::int64_t wait = most;
  if (limits_.cpu_seconds != 0) {
    // No sooner than all processors together could use up what is left.
    static const auto processors = static_cast<std::uint64_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    const std::uint64_t limit_us = limits_.cpu_seconds * 1'000'000;
    const std::uint64_t left_us = limit_us - std::min(limit_us, cpu_us);
    wait = std::clamp(static_cast<std::int64_t>(left_us / processors / 1000), shortest_for_cpu_ms, wait);
  }
  if (in_hurry_) {
    wait = std::min(wait, std::clamp(cost_ms * cost_factor, close_watch_ms, close_watch_longest_ms));
  }
  return std::max(wait, cost_ms * cost_factor);
}

}  // namespace wtool::warden
