// Moves what a command has added to a repository out of git's way, without losing it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "engine/sandbox/file_identity.h"

namespace wtool::engine {

// What is on the way from the base of an addition to its path and is not a folder, such as a link.
struct Obstacle {
  std::size_t end = 0;  // how many characters of the addition's path name it
  FileIdentity identity;

  friend bool operator==(const Obstacle&, const Obstacle&) = default;
};

// Something that a command added: a name that did not exist before, below a folder that did.
struct Addition {
  std::string base;                  // the folder; no link is on the way to it
  std::string path;                  // base/...
  std::optional<Obstacle> obstacle;  // the first one that was there before the command

  // Call it before the command, for a path that does not exist then.
  static Addition missing(std::string base, std::string path);

  friend bool operator==(const Addition&, const Addition&) = default;
};

struct PutAside {
  std::string path;
  std::string to;     // its new name
  std::string error;  // why it is still at `path`; empty: it was renamed
};

// Renames the addition, within its folder, to NAME.put-aside-TIME. In a folder `worktrees`, what is not a folder gets such a
// name in the folder above. Nothing is overwritten, and no link is followed. If a link is on the way from the base, the
// link itself is renamed. It is an error if that link existed before the command.
PutAside put_aside(const Addition& addition);

}  // namespace wtool::engine
