// Programs that the repository of a project could make git execute, and that no flag can switch off.
#pragma once

#include <string>

namespace wtool::policy::covenant {

// True if the configuration of the repository that git finds from `directory` upward to `root` (both canonical) names
// filters, which `git status` and `git diff` run on changed files; includes other files, which may name some; or cannot
// be read. The configuration of the user and of the system does not count, because the user chose it.
bool may_filter(const std::string& directory, const std::string& root);

// The folder with the `.git` that git would find; empty outside of a repository.
std::string repository_folder(const std::string& directory, const std::string& root);

}  // namespace wtool::policy::covenant
