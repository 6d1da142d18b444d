// Resolves a path that somebody else has chosen.
#pragma once

#include <string>

namespace wtool::engine {

// The absolute path without symbolic links, "." and "..", as far as it exists; the rest is appended unchanged. Empty if
// the path has too many components or links, or leads into an automounted folder, because looking there would mount the
// folder, or wait for a server.
std::string real_path(const std::string& path);

}  // namespace wtool::engine
