#include "engine/sandbox/put_aside.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/descriptor.h"
#include "base/open_resolving.h"
#include "base/paths.h"
#include "base/time_text.h"

namespace wtool::engine {

namespace {

constexpr unsigned rename_no_replace = 1;
// With a number after the time. A command may have taken all these names, so random ones follow.
constexpr int attempts = 100;
constexpr int random_attempts = 100;

Descriptor open_folder(int from, const char* path, std::uint64_t resolve) {
  return Descriptor(open_resolving(from, path, O_PATH | O_DIRECTORY, resolve));
}

// Renames `name` in `folder` to a name in `target`. Returns the new name; on failure, an empty text with errno.
std::string rename_to(int target, int folder, const std::string& name) {
  const std::string wanted = name + ".put-aside-" + utc_text(std::chrono::system_clock::now(), "%Y%m%dT%H%M%SZ");
  for (int attempt = 1; attempt <= attempts; ++attempt) {
    std::string to = attempt == 1 ? wanted : wanted + '-' + std::to_string(attempt);
    if (::syscall(SYS_renameat2, folder, name.c_str(), target, to.c_str(), rename_no_replace) == 0) return to;
    if (errno != EEXIST) return {};
  }
  for (int attempt = 0; attempt < random_attempts; ++attempt) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number) return {};
    std::string to = wanted + '-' + std::to_string(number);
    if (::syscall(SYS_renameat2, folder, name.c_str(), target, to.c_str(), rename_no_replace) == 0) return to;
    if (errno != EEXIST) return {};
  }
  return {};
}

// Gives the owner all rights in a folder, and takes them away again at the end. A command may have closed the folder so
// that nothing in it can be renamed. Does nothing if the folder belongs to another user.
class OpenedFolder {
 public:
  explicit OpenedFolder(int folder) {
    struct stat status {};
    if (::fstat(folder, &status) != 0 || (status.st_mode & S_IRWXU) == S_IRWXU) return;
    mode_ = status.st_mode & 07777;
    // fchmod() does not take a descriptor of O_PATH.
    place_ = "/proc/self/fd/" + std::to_string(folder);
    if (::chmod(place_.c_str(), mode_ | S_IRWXU) != 0) place_.clear();
  }
  // The folder is still open.
  ~OpenedFolder() {
    const int error = errno;
    if (!place_.empty()) ::chmod(place_.c_str(), mode_);
    errno = error;
  }
  OpenedFolder(const OpenedFolder&) = delete;
  OpenedFolder& operator=(const OpenedFolder&) = delete;

 private:
  std::string place_;
  mode_t mode_ = 0;
};

}  // namespace

Addition Addition::missing(std::string base, std::string path) {
  Addition addition{std::move(base), std::move(path), {}};
  for (std::size_t end = addition.path.find('/', addition.base.size() + 1); end != std::string::npos;
       end = addition.path.find('/', end + 1)) {
    const auto entry = entry_at(AT_FDCWD, addition.path.substr(0, end).c_str());
    if (!entry) break;
    if (entry->is_folder) continue;
    addition.obstacle = Obstacle{end, entry->identity};
    break;
  }
  return addition;
}

PutAside put_aside(const Addition& addition) {
  PutAside result{addition.path, {}, {}};
  Descriptor next = open_folder(AT_FDCWD, addition.base.c_str(), RESOLVE_NO_SYMLINKS);
  std::string path = addition.base;
  std::size_t at = path == "/" ? 1 : path.size() + 1;
  while (next) {
    const Descriptor folder = std::move(next);
    const OpenedFolder opened(folder.get());
    const std::size_t slash = addition.path.find('/', at);
    const std::string name = addition.path.substr(at, slash == std::string::npos ? slash : slash - at);
    const auto entry = entry_at(folder.get(), name.c_str());
    if (!entry) break;
    if (slash == std::string::npos || !entry->is_folder) {
      if (addition.obstacle == Obstacle{slash, entry->identity}) {
        result.error.append(path).append("/").append(name).append(" existed before and is not a folder");
        return result;
      }
      const std::string prefix = path == "/" ? path : path + '/';
      // Under any name in the folder `worktrees`, git would take it for a worktree that is gone, and remove what is there.
      const bool moves_up = !entry->is_folder && path.ends_with("/worktrees");
      const Descriptor above = moves_up ? open_folder(folder.get(), "..", RESOLVE_NO_SYMLINKS) : Descriptor();
      if (moves_up && !above) break;
      const int target = moves_up ? above.get() : folder.get();
      const OpenedFolder opened_target(target);
      const std::string to = rename_to(target, folder.get(), name);
      if (to.empty()) break;
      result.path = prefix + name;
      result.to = (moves_up ? parent_of(path) + '/' : prefix) + to;
      return result;
    }
    next = open_folder(folder.get(), name.c_str(), RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH);
    path += (path == "/" ? "" : "/") + name;
    at = slash + 1;
  }
  result.error = std::strerror(errno);
  return result;
}

}  // namespace wtool::engine
