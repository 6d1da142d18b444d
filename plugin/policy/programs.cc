#include "policy/programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <unordered_map>

#include "policy/directories.h"

namespace wtool::policy {

namespace {

// The canonical path of a folder, which is looked for again only if the folder is another one than before, or was
// moved. (Who can put a link in place of a folder above it can write programs there as well.)
std::string canonical_folder(const std::string& folder, const struct stat& status) {
  struct Known {
    struct stat status;
    std::string path;
  };
  constexpr std::size_t most = 1000;
  static std::mutex mutex;
  static std::unordered_map<std::string, Known> all;
  const std::lock_guard lock(mutex);
  if (all.size() > most) all.clear();
  Known& known = all[folder];
  const bool is_same = !known.path.empty() && known.status.st_dev == status.st_dev &&
                       known.status.st_ino == status.st_ino && known.status.st_ctim.tv_sec == status.st_ctim.tv_sec &&
                       known.status.st_ctim.tv_nsec == status.st_ctim.tv_nsec;
  if (!is_same) known = {status, resolve_path("/", folder)};
  return known.path;
}

bool is_trusted(const std::string& folder, const std::vector<std::string>& roots) {
  struct stat status {};
  if (folder.empty() || folder.front() != '/' || ::stat(folder.c_str(), &status) != 0) return false;
  if (!S_ISDIR(status.st_mode) || (status.st_mode & S_IWOTH) != 0) return false;
  if (roots.empty()) return true;
  const std::string real = canonical_folder(folder, status);
  return std::none_of(roots.begin(), roots.end(), [&](const std::string& root) { return is_within(real, root); });
}

// Where a system has its programs. Links among these folders are the administrator's, whatever PATH says.
constexpr std::array<std::string_view, 4> system_folders{"/bin", "/sbin", "/usr/bin", "/usr/sbin"};

std::string_view without_last_slashes(std::string_view folder) {
  return folder.substr(0, folder.find_last_not_of('/') + 1);
}

}  // namespace

Programs::Programs(const std::optional<std::vector<std::string>>& configured, std::string_view search_path,
                   const std::vector<std::string>& roots) {
  if (configured) {
    folders_ = *configured;
  } else {
    while (!search_path.empty()) {
      const std::size_t colon = std::min(search_path.find(':'), search_path.size());
      std::string folder(search_path.substr(0, colon));
      if (is_trusted(folder, roots)) folders_.push_back(std::move(folder));
      search_path.remove_prefix(std::min(colon + 1, search_path.size()));
    }
  }
  for (const std::string& folder : folders_) search_path_ += (search_path_.empty() ? "" : ":") + folder;
  // An empty PATH means the working directory to some; this means nothing to all.
  if (search_path_.empty()) search_path_ = "/nonexistent";
}

std::optional<std::string> Programs::find(std::string_view name) const {
  for (const std::string& folder : folders_) {
    std::string path = folder + '/';
    path += name;
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

bool Programs::is_found(std::string_view path) const {
  const std::string_view folder = path.substr(0, path.size() - base_name(path).size());
  const auto is_its_folder = [&](std::string_view known) {
    return without_last_slashes(known) == without_last_slashes(folder);
  };
  // In any other folder, a path may lead to another file by the time it is executed: through a changed link, or through
  // /proc/self, which is then another process.
  if (std::none_of(folders_.begin(), folders_.end(), is_its_folder) &&
      std::none_of(system_folders.begin(), system_folders.end(), is_its_folder)) {
    return false;
  }
  const auto found = find(base_name(path));
  struct stat wanted {
  }, given{};
  return found && ::stat(found->c_str(), &wanted) == 0 && ::stat(std::string(path).c_str(), &given) == 0 &&
         wanted.st_dev == given.st_dev && wanted.st_ino == given.st_ino;
}

}  // namespace wtool::policy
