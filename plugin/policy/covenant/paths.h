// Judges the paths of a command of tier one (policy/covenant.h) by what is at these paths in the file system.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/covenant.h"

namespace wtool::policy::covenant {

struct PathFinding {
  std::optional<std::string> invalid;  // a path, as given, that leads out of the project or must not be written
  bool ask = false;  // the command writes files that other programs run by themselves, moves relative links, or
                     // affects more files than can be checked
};

// `directory`, `root` and `kept` are canonical; the files in `kept` must not change. Follows links, and also checks the
// contents of folders that are copied or moved.
PathFinding judge_paths(const std::vector<NamedPath>& paths, const std::string& directory, const std::string& root,
                        const std::vector<std::string>& kept);

}  // namespace wtool::policy::covenant
