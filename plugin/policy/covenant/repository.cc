#include "policy/covenant/repository.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/git_path.h"
#include "base/paths.h"
#include "base/text.h"
#include "policy/directories.h"

namespace wtool::policy::covenant {

namespace {

constexpr std::size_t max_file_size = 1 << 20;

// The text of the file; empty: it does not exist; nothing: it cannot be read.
std::optional<std::string> read(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::string();
  // A device is not even opened.
  if (!S_ISREG(status.st_mode)) return std::nullopt;
  // A command may put a FIFO there at any time. Opening it must not wait for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string text;
  if (read_all(file.get(), max_file_size, text) != 0) return std::nullopt;
  return text;
}

bool names_filter(const std::string& path) {
  const std::optional<std::string> text = read(path);
  if (!text) return true;
  const std::string settings = lowered(*text);
  return settings.find("[filter") != std::string::npos || settings.find("[include") != std::string::npos;
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

// True if git may use the folder itself as a repository: a bare one, or a folder inside a `.git`, such as
// `.git/modules/NAME`.
bool looks_like_repository(const std::string& folder) {
  return exists(path_below(folder, "HEAD")) &&
         (exists(path_below(folder, "commondir")) ||
          (exists(path_below(folder, "objects")) && exists(path_below(folder, "refs"))));
}

bool has_filters(std::string repository) {
  struct stat status {};
  if (::stat(repository.c_str(), &status) != 0) return true;
  if (!S_ISDIR(status.st_mode)) {
    const auto pointer = read(repository);
    const auto path = pointer ? path_in_git_file(*pointer, "gitdir: ") : std::nullopt;
    if (!path) return true;
    repository = resolve_path(parent_of(repository), *path);
  }
  const auto common = read(repository + "/commondir");
  if (!common) return true;
  std::string shared = repository;
  if (!common->empty()) {
    const auto path = path_in_git_file(*common);
    if (!path) return true;
    shared = resolve_path(repository, *path);
  }
  return names_filter(shared + "/config") || names_filter(repository + "/config.worktree");
}

}  // namespace

std::vector<std::string> repositories_around(const std::string& directory, const std::string& root) {
  std::vector<std::string> repositories;
  for (std::string folder = directory; !folder.empty(); folder = parent_of(folder)) {
    const std::string inside = path_below(folder, ".git");
    struct stat git {};
    const bool has_git = ::stat(inside.c_str(), &git) == 0;
    if (has_git) repositories.push_back(inside);
    // Git looks no further than a file `.git`: it uses it, or fails.
    if (has_git && S_ISREG(git.st_mode)) break;
    if (looks_like_repository(folder)) repositories.push_back(folder);
    if (folder == root || folder == "/") break;
  }
  return repositories;
}

bool may_filter(const std::string& directory, const std::string& root) {
  const std::vector<std::string> repositories = repositories_around(directory, root);
  return std::any_of(repositories.begin(), repositories.end(), has_filters);
}

}  // namespace wtool::policy::covenant
