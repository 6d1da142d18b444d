// Finds out whether a project's repository could make git execute programs that no flag of git can switch off.
#pragma once

#include <string>
#include <vector>

namespace wtool::policy::covenant {

// The folders from `directory` upward to `root` (both canonical) with a `.git`, the nearest first. Git uses the first one
// whose `.git` it accepts: it passes over a folder `.git` that is not a whole repository. Ends at a file `.git`, which
// git never passes over.
std::vector<std::string> repository_folders(const std::string& directory, const std::string& root);

// Looks at the configurations of all these repositories. True if one names filters, which `git status` and `git diff`
// run on changed files, if it includes other files, which may name filters, or if it cannot be read. The configurations
// of the user and the system are not examined, because the user chose them.
bool may_filter(const std::string& directory, const std::string& root);

}  // namespace wtool::policy::covenant
