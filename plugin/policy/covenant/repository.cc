#include "policy/covenant/repository.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "base/descriptor.h"
#include "base/files.h"
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

// The path in a file such as `.git` of a worktree (`gitdir: PATH`) or `commondir`.
std::string path_in(std::string text, std::string_view prefix) {
  if (text.starts_with(prefix)) text.erase(0, prefix.size());
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

bool names_filter(const std::string& path) {
  const std::optional<std::string> text = read(path);
  if (!text) return true;
  const std::string settings = lowered(*text);
  return settings.find("[filter") != std::string::npos || settings.find("[include") != std::string::npos;
}

std::string git_in(const std::string& folder) { return (folder == "/" ? "" : folder) + "/.git"; }

bool has_filters(const std::string& folder) {
  std::string repository = git_in(folder);
  struct stat status {};
  if (::stat(repository.c_str(), &status) != 0) return true;
  if (!S_ISDIR(status.st_mode)) {
    const auto pointer = read(repository);
    if (!pointer) return true;
    repository = resolve_path(folder, path_in(*pointer, "gitdir:"));
  }
  const auto common = read(repository + "/commondir");
  if (!common) return true;
  const std::string shared = common->empty() ? repository : resolve_path(repository, path_in(*common, ""));
  return names_filter(shared + "/config") || names_filter(repository + "/config.worktree");
}

}  // namespace

std::vector<std::string> repository_folders(const std::string& directory, const std::string& root) {
  std::vector<std::string> folders;
  for (std::string folder = directory; !folder.empty();
       folder = std::max<std::string>("/", folder.substr(0, folder.rfind('/')))) {
    struct stat git {};
    const bool has_git = ::stat(git_in(folder).c_str(), &git) == 0;
    if (has_git) folders.push_back(folder);
    // Git looks no further than a file `.git`: it uses it, or fails.
    if (folder == root || folder == "/" || (has_git && S_ISREG(git.st_mode))) break;
  }
  return folders;
}

bool may_filter(const std::string& directory, const std::string& root) {
  const std::vector<std::string> folders = repository_folders(directory, root);
  return std::any_of(folders.begin(), folders.end(), has_filters);
}

}  // namespace wtool::policy::covenant
