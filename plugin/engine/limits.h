// What a command may use. Unless noted, a limit is for all processes of the command together. 0: no limit.
#pragma once

#include <array>
#include <cstdint>

namespace wtool::engine {

struct Limits {
  std::uint64_t cpu_seconds = 0;   // user and system time together
  std::uint64_t memory_bytes = 0;  // resident memory that cannot be dropped; shared pages are counted once
  std::uint32_t processes = 0;     // alive at the same time
  std::uint32_t open_files = 0;    // of each process: descriptors (RLIMIT_NOFILE)
  std::uint64_t file_bytes = 0;    // of each file that is written (RLIMIT_FSIZE)
  // The set of processors on which the processes run at first; empty: all. A command may ask for other processors.
  std::array<std::uint64_t, 16> processors{};
  // A bit for each LimitName whose value is not that of the configuration, but a tighter one of this one call.
  std::uint32_t of_call = 0;
};

enum class LimitName { cpu_seconds, memory_bytes, processes, open_files, file_bytes };

// The name of the key in the configuration, below `limits`.
constexpr const char* to_text(LimitName name) {
  constexpr const char* names[] = {"cpu_seconds", "memory_bytes", "processes", "open_files", "file_bytes"};
  return names[static_cast<int>(name)];
}

// True if the call itself has set the limit.
constexpr bool is_of_call(const Limits& limits, LimitName name) {
  return (limits.of_call & (1U << static_cast<unsigned>(name))) != 0;
}

// 0: no limit.
constexpr std::uint64_t value_of(const Limits& limits, LimitName name) {
  switch (name) {
    case LimitName::cpu_seconds:
      return limits.cpu_seconds;
    case LimitName::memory_bytes:
      return limits.memory_bytes;
    case LimitName::processes:
      return limits.processes;
    case LimitName::open_files:
      return limits.open_files;
    case LimitName::file_bytes:
      return limits.file_bytes;
  }
  return 0;
}

}  // namespace wtool::engine
