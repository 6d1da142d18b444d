// Resolves a path that somebody else has chosen.
#pragma once

#include <algorithm>
#include <string>

namespace wtool::engine {

// The absolute path without symbolic links, "." and "..", as far as it exists; the rest is appended unchanged. Empty if
// the path has too many components or links, or leads into an automounted folder, because looking there would mount the
// folder, or wait for a server.
std::string real_path(const std::string& path);

// The folder that contains the last part of an absolute path: "/a" for "/a/b", "/" for "/a".
inline std::string parent_of(const std::string& path) {
  return path.substr(0, std::max<std::size_t>(path.rfind('/'), 1));
}

}  // namespace wtool::engine
