// Finds out whether a project's repository could make git execute programs that no flag of git can switch off.
#pragma once

#include <string>

namespace wtool::policy::covenant {

// Looks at the configuration of the repository that git finds from `directory` upward to `root` (both canonical). True
// if it names filters, which `git status` and `git diff` run on changed files, if it includes other files, which may
// name filters, or if it cannot be read. The configurations of the user and the system are not examined, because the
// user chose them.
bool may_filter(const std::string& directory, const std::string& root);

// The folder with the `.git` that git would find; empty outside of a repository.
std::string repository_folder(const std::string& directory, const std::string& root);

}  // namespace wtool::policy::covenant
