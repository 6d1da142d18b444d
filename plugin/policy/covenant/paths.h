// The paths of a command of tier one, in the file system.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "policy/covenant.h"

namespace wtool::policy::covenant {

struct PathFinding {
  std::optional<std::string> invalid;  // this path, as given: it leads out of the project, or writes what it may not
  bool ask = false;  // it writes what other programs run by themselves, or more than can be looked through
};

// `directory` and `root` are canonical. Links are followed; what a folder that is copied or moved holds is looked at.
PathFinding judge_paths(const std::vector<NamedPath>& paths, const std::string& directory, const std::string& root);

}  // namespace wtool::policy::covenant
