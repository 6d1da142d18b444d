// Moves what a command has added to a repository out of git's way, without losing it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace wtool::engine {

// Which file a path names. Another file at the same path has another identity.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t changed_ns = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// A name that did not exist, below a folder that did.
struct Addition {
  std::string base;                      // the folder; no link is on the way to it
  std::string path;                      // base/...
  std::optional<FileIdentity> obstacle;  // what was on the way from base to path and is not a folder, such as a link

  // Describes a path that does not exist now, before the command.
  static Addition missing(std::string base, std::string path);

  friend bool operator==(const Addition&, const Addition&) = default;
};

struct PutAside {
  std::string path;
  std::string to;     // its new name
  std::string error;  // or why it is still there
};

// Renames the addition, within its folder, to NAME.put-aside-TIME. Nothing is overwritten, and no link is followed. If
// a link is on the way from the base, the link itself is renamed, unless it existed before the command, which is an
// error.
PutAside put_aside(const Addition& addition);

}  // namespace wtool::engine
