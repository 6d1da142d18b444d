// The entries of a folder of /proc whose names are numbers, without allocating anything.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "base/descriptor.h"

namespace wtool {

// As the kernel writes it (getdents64(2)).
struct KernelEntry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short size;
  unsigned char type;
  char name[1];
};

// Calls visit(number) for each, until one answers false. False when the folder cannot be opened.
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

}  // namespace wtool
