// Which file a name stands for, and whether the file may have been written to or replaced since it was looked at.
#pragma once

#include <sys/stat.h>

#include <cstdint>

#include "base/timespec.h"

namespace wtool::host::cache {

// A program can set the time of modification, but not the time of change.
struct FileIdentity {
  std::uint64_t device = 0, inode = 0;
  std::int64_t modified = 0, changed = 0;  // nanoseconds since 1970

  bool operator==(const FileIdentity&) const = default;
};

inline FileIdentity identity_of(const struct stat& status) {
  return {status.st_dev, status.st_ino, to_ns(status.st_mtim), to_ns(status.st_ctim)};
}

}  // namespace wtool::host::cache
