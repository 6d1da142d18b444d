// What /proc says about one process. Shared by the engine and the warden; needs only libc.
//
// Contract:
// - Each read function fails when the process is gone, when the kernel has no such file, or when this process has no
//   descriptor left to open the file. It then returns false, or 0 if it returns a number.
// - Nothing here allocates: a keeper must be able to read /proc even after a command has lowered the keeper's memory
//   limit.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/descriptor.h"

namespace wtool {

constexpr std::size_t max_named = 16;
constexpr std::size_t name_size = 16;  // The kernel's size: 15 bytes and a NUL.

// A process as messages and results name it: its number, and the kernel's name for it.
struct NamedProcess {
  std::int32_t pid;
  char name[name_size];
};

// ---- Visits the entries with numeric names in a folder of /proc. Allocates nothing.

// A directory entry as the kernel writes it (getdents64(2)).
struct KernelEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

// Calls visit(number) for each entry whose name is a number, until visit returns false. Returns false only if the
// folder cannot be opened.
template <typename Visit>
bool for_each_number(const char* path, Visit visit) {
  const Descriptor folder(::open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return false;
  alignas(KernelEntry) char entries[4096];
  for (;;) {
    const long size = ::syscall(SYS_getdents64, folder.get(), entries, sizeof entries);
    if (size <= 0) return true;
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const KernelEntry*>(entries + at);
      at += entry->size;
      if (entry->name[0] < '0' || entry->name[0] > '9') continue;
      if (!visit(static_cast<int>(std::strtol(entry->name, nullptr, 10)))) return true;
    }
  }
}

// ---- What /proc says about one process.

struct ProcessStatus {
  char state = 'X';
  pid_t parent = 0;
  // The process is a zombie or about to become one. A process whose main thread has ended while other threads run is
  // alive, even though its state is also 'Z'.
  bool exiting = false;
  char name[name_size] = {};
  std::uint64_t cpu_us = 0;         // the CPU time of the process and of the children that it has waited for
  std::uint64_t started_ticks = 0;  // ticks since boot (CLOCK_BOOTTIME), sysconf(_SC_CLK_TCK) of them a second
};

bool read_status(pid_t process, ProcessStatus& status);

// Reads the parent of `process`. `handle` is an open pidfd of `process`. Since Linux 6.13, this takes a third of the
// time of read_status.
bool read_parent(pid_t process, int handle, pid_t& parent);

// Reads a file of /proc into `text`, which ends with a NUL. Long lines are cut. The line Groups of status comes before
// the lines about memory, and may have hundreds of thousands of bytes. Returns the length.
std::size_t read_lines(int file, char* text, std::size_t size);

struct ProcessMemory {
  std::uint64_t held_kib = 0;     // resident or swapped
  std::uint64_t private_kib = 0;  // the resident part that is neither shared memory nor backed by a file
};

// What `status`, the text of /proc/PID/status, says about memory. A process that has ended shows none.
ProcessMemory memory_of(const char* status);

// Fast, but a page that several processes share counts in full for each of them.
bool read_memory(pid_t process, ProcessMemory& memory);

// The process's share of the memory that no file backs, resident or swapped: a page that n processes share counts 1/n
// for each. Exact, but slow, because the kernel walks through all memory of the process. If the caller may not read
// smaps_rollup (the process belongs to another user or is not dumpable), each page counts in full.
bool read_memory_share(pid_t process, std::uint64_t& kib);

// The process that traces `process`; 0 when it is not traced.
pid_t read_tracer(pid_t process);

// True when /proc is mounted and shows this process's own pid namespace.
bool has_own_proc();

}  // namespace wtool
