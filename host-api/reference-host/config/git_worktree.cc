#include "config/git_worktree.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/git_path.h"

namespace wtool::host {

namespace {

namespace fs = std::filesystem;

// The path in a file of git that names a folder, without links as far as it exists. Empty: there is no such file.
std::string path_in(const fs::path& file, std::string_view prefix = {}) {
  constexpr std::size_t longest = 8192;
  const Descriptor opened = open_regular(file.string());
  std::string text;
  if (!opened || read_all(opened.get(), longest, text) != 0) return {};
  const std::optional<std::string> named = path_in_git_file(text, prefix);
  if (!named) return {};
  std::error_code failure;
  const fs::path real = fs::weakly_canonical(file.parent_path() / *named, failure);
  return failure ? std::string() : real.string();
}

// True if the path is a folder of this user, and no link to one.
bool is_own_folder(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

}  // namespace

std::string folder_of_git_file(const std::string& root) { return path_in(fs::path(root) / ".git", "gitdir: "); }

std::string repository_of_worktree(const std::string& root) {
  const fs::path folder = folder_of_git_file(root);
  const fs::path repository = folder.parent_path().parent_path();
  if (folder.empty() || folder.parent_path().filename() != "worktrees") return {};
  if (path_in(folder / "commondir") != repository || path_in(folder / "gitdir") != fs::path(root) / ".git") return {};
  for (const fs::path& one :
       {repository, repository / "objects", repository / "refs", repository / "worktrees", folder}) {
    if (!is_own_folder(one)) return {};
  }
  struct stat status {};
  // A link could be replaced, so the sandbox would refuse every command.
  for (const char* name : {"config", "hooks", "info", "info/attributes", "objects/info", "objects/info/alternates"}) {
    if (::lstat((repository / name).c_str(), &status) == 0 && S_ISLNK(status.st_mode)) return {};
  }
  return ::lstat((repository / "HEAD").c_str(), &status) == 0 ? repository.string() : std::string();
}

}  // namespace wtool::host
