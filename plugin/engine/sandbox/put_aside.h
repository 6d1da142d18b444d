// Takes what a command has added to a repository out of git's way, and keeps it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

namespace wtool::engine {

// Which file a path names. Two files of one path differ in it.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t changed_ns = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// A name that was not there, below a folder that was.
struct Addition {
  std::string base;                      // the folder; no link is on the way to it
  std::string path;                      // base/...
  std::optional<FileIdentity> obstacle;  // what was on the way from base to path and is no folder, such as a link

  // As it is now, before the command.
  static Addition missing(std::string base, std::string path);

  friend bool operator==(const Addition&, const Addition&) = default;
};

struct PutAside {
  std::string path;
  std::string to;     // what it is called now
  std::string error;  // or why it is still there
};

// Renames it within its folder to NAME.put-aside-TIME. Nothing is overwritten and no link is followed: where a link is
// on the way from the base, the link itself is renamed; if it existed before the command, that is an error.
PutAside put_aside(const Addition& addition);

}  // namespace wtool::engine
