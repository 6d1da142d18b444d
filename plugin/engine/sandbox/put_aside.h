// Takes what a command has added to a repository out of git's way, and keeps it.
#pragma once

#include <cstdint>
#include <string>

namespace wtool::engine {

// A name that was not there, below a folder that was.
struct Addition {
  std::string base;  // the folder; no link is on the way to it
  std::string path;  // base/...

  friend bool operator==(const Addition&, const Addition&) = default;
};

struct PutAside {
  std::string path;
  std::string to;     // what it is called now
  std::string error;  // or why it is still there
};

// Renames it within its folder to NAME.put-aside-TIME. Nothing is overwritten and no link is followed: a link on the
// way from the base is itself what is renamed, if it was made since then; otherwise it is an error.
PutAside put_aside(const Addition& addition, std::int64_t since_ns);

}  // namespace wtool::engine
