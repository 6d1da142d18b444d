// Tells whether a path still names the same file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace wtool::engine {

// Identifies the file that a path names. A different file at the same path has a different identity, even if it has got
// the inode number of a deleted one. If the file system does not know times of birth, changing a file also changes its
// identity.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t born_ns = 0;  // or last changed, if the file system does not know when the file was born

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

struct FileEntry {
  bool is_folder = false;
  bool knows_birth = false;  // The file system knows when the file was born.
  FileIdentity identity;
};

// What is at a name in a folder, or at a path if `folder` is AT_FDCWD: a link itself, not its target. Nothing: errno says
// why.
std::optional<FileEntry> entry_at(int folder, const char* name);

}  // namespace wtool::engine
