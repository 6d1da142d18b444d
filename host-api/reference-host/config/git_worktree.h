// Finds the repository of a worktree of git.
//
//   const std::string repository = repository_of_worktree("/home/me/app-fix");  // "/home/me/app/.git"
#pragma once

#include <string>

namespace wtool::host {

// What a file `.git` in `root` names: the folder of a worktree or of a submodule, without links as far as it exists.
// Empty: there is no such file. `root`: absolute, without links.
std::string folder_of_git_file(const std::string& root);

// The repository that the worktree `root` (`git worktree add`) belongs to: an absolute path without links. Empty: `root` is
// no worktree, or its repository does not know it, does not belong to this user, or has a link where the sandbox protects
// a name.
//
// The answer decides where commands may write, and others may have written the files in `root`: an archive may contain
// any `.git`. So both sides must agree. The repository's folder for the worktree must be in its folder `worktrees`, must
// name the repository, and must name this root. A command without a sandbox could make all of this, but it could write
// in the repository anyway.
std::string repository_of_worktree(const std::string& root);

}  // namespace wtool::host
