#include "policy/covenant/repository.h"

#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "policy/directories.h"

namespace wtool::policy::covenant {

namespace {

constexpr std::size_t max_file_size = 1 << 20;

// The text of the file; empty: it does not exist; nothing: it cannot be read.
std::optional<std::string> read(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::string();
  if (!S_ISREG(status.st_mode) || status.st_size > static_cast<off_t>(max_file_size)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) return std::nullopt;
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
