// What /proc tells of one process.
//
// Contract: each function answers false when the process is gone, or the kernel has no such file; `text` is a buffer
// that callers keep, so that a round over many processes allocates nothing.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "warden/protocol.h"

namespace wtool::warden {

// Reads a small file into `text`, NUL-terminated. False when it cannot be opened.
bool read_file(const char* path, std::vector<char>& text);

struct ProcessStatus {
  char state = 'X';
  pid_t parent = 0;
  bool exiting = false;  // A zombie, or about to be one.
  char name[name_size] = {};
  std::uint64_t cpu_us = 0;  // Its own and that of the children that it has waited for.
};

bool read_status(pid_t process, ProcessStatus& status, std::vector<char>& text);

// In KiB: what is resident; and the part of it that no file backs, shared memory left out.
struct ProcessMemory {
  std::uint64_t resident_kib = 0;
  std::uint64_t private_kib = 0;
};

// Quick, and too much where processes share pages.
bool read_memory(pid_t process, ProcessMemory& memory, std::vector<char>& text);

// Its share of all that no file backs, resident or swapped: a page of n processes counts 1/n for each. Exact, and slow:
// the kernel walks through all of its memory.
bool read_memory_share(pid_t process, std::uint64_t& kib, std::vector<char>& text);

}  // namespace wtool::warden
