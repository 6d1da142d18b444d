// Finds out whether a project's repository could make git execute programs that no flag of git can switch off.
#pragma once

#include <string>
#include <vector>

namespace wtool::policy::covenant {

// What git may use as its repository in `directory`, the nearest first: the `.git` of each folder from there upward to
// `root` (both canonical), and each of these folders that looks like a repository itself. Some versions of git use a
// folder such as `.git/modules/NAME` even if they are told to use no bare repository. Git uses the first one that it
// accepts: it passes over a folder that is not a whole repository. Ends at a file `.git`, which git never passes over.
std::vector<std::string> repositories_around(const std::string& directory, const std::string& root);

// Looks at the configurations of all these repositories. True if one names filters, which `git status` and `git diff`
// run on changed files, if it includes other files, which may name filters, or if it cannot be read. The configurations
// of the user and the system are not examined, because the user chose them.
bool may_filter(const std::string& directory, const std::string& root);

}  // namespace wtool::policy::covenant
