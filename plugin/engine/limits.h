// What a command may use, all its processes together where nothing else is said. 0: no limit.
#pragma once

#include <cstdint>

namespace wtool::engine {

struct Limits {
  std::uint64_t cpu_seconds = 0;   // user and system time together
  std::uint64_t memory_bytes = 0;  // what is resident and cannot be dropped, shared pages once
  std::uint32_t processes = 0;     // alive at once
  std::uint32_t open_files = 0;    // of each process: descriptors (RLIMIT_NOFILE)
  std::uint64_t file_bytes = 0;    // of each file that is written (RLIMIT_FSIZE)
};

}  // namespace wtool::engine
