#include "policy/programs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "policy/directories.h"

namespace wtool::policy {

namespace {

// Decides which folders of a PATH are trusted. Every call checks each folder again: since the last call, a folder above
// it may have been replaced or have become a link.
class Trust {
 public:
  explicit Trust(const std::vector<std::string>& roots) : roots_(roots) {}

  bool has(const std::string& folder) {
    struct stat status {};
    if (folder.empty() || folder.front() != '/' || ::stat(folder.c_str(), &status) != 0) return false;
    if (!S_ISDIR(status.st_mode) || (status.st_mode & S_IWOTH) != 0) return false;
    if (roots_.empty()) return true;
    // /bin is often another name of /usr/bin.
    const auto same = std::find_if(seen_.begin(), seen_.end(), [&](const Seen& each) {
      return each.device == status.st_dev && each.inode == status.st_ino;
    });
    if (same != seen_.end()) return same->trusted;
    const std::string real = resolve(folder);
    if (real == unknown_folder) return false;
    seen_.push_back({status.st_dev, status.st_ino, !is_within_any(real, roots_)});
    return seen_.back().trusted;
  }

 private:
  struct Seen {
    dev_t device;
    ino_t inode;
    bool trusted;
  };

  // Keeps the last parent folder, since neighbours in a PATH often have the same one.
  std::string resolve(std::string_view folder) {
    const std::string_view name = base_name(folder);
    const std::string_view parent = folder.substr(0, folder.size() - name.size());
    if (parent != parent_) {
      parent_ = parent;
      real_parent_ = resolve_folder("/", parent);
    }
    return resolve_folder(real_parent_, name);
  }

  const std::vector<std::string>& roots_;
  std::vector<Seen> seen_;
  std::string parent_, real_parent_;
};

// The folders in which a system has its programs. A path in them is accepted even if PATH does not have the folder,
// because only the administrator can make links there.
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
    Trust trust(roots);
    while (!search_path.empty()) {
      const std::size_t colon = std::min(search_path.find(':'), search_path.size());
      std::string folder(search_path.substr(0, colon));
      if (trust.has(folder)) folders_.push_back(std::move(folder));
      search_path.remove_prefix(std::min(colon + 1, search_path.size()));
    }
  }
  search_path_ = joined(folders_, ":");
  // Some shells read an empty PATH as the working directory. With this folder, no shell finds anything.
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
  // In any other folder, a path may lead to a different file by the time it is executed: through a changed link, or
  // through /proc/self, which is then a different process.
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
