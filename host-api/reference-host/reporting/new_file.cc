#include "reporting/new_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace wtool::host {
namespace {

constexpr int as_folder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

// Closes `above`. The descriptor of the folder, or -1 with errno.
int step_into(int above, const std::string& name) {
  const int next = ::openat(above, name.c_str(), as_folder);
  const int number = errno;
  ::close(above);
  errno = number;
  return next;
}

std::string reason(int number, const std::filesystem::path& path) {
  std::error_code none;
  if (!std::filesystem::is_symlink(path, none)) return ::strerror(number);
  const std::string real = std::filesystem::weakly_canonical(path, none).string();
  return path.string() + " is a symbolic link, which a command may have made; " +
         (none ? "take it away" : "take it away, or name " + real);
}

}  // namespace

int open_without_links(const std::string& file, int flags, mode_t mode, std::string& why) {
  if (file.starts_with("/dev/") || file.starts_with("/proc/")) {
    const int opened = ::open(file.c_str(), flags | O_CLOEXEC, mode);
    if (opened < 0) why = ::strerror(errno);
    return opened;
  }
  const std::filesystem::path path(file);
  std::filesystem::path seen = path.is_absolute() ? "/" : "";
  int folder = ::open(path.is_absolute() ? "/" : ".", as_folder);
  for (const auto& part : path.parent_path().relative_path()) {
    if (folder < 0) break;
    seen /= part;
    if (!part.empty()) folder = step_into(folder, part.string());
  }
  if (folder >= 0) seen = path;
  const int opened = folder < 0 ? -1 : ::openat(folder, path.filename().c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode);
  if (opened < 0) why = reason(errno, seen);
  if (folder >= 0) ::close(folder);
  return opened;
}

int make_folder_without_links(const std::string& base, const std::string& folder, mode_t mode, bool& made,
                              std::string& why) {
  const std::filesystem::path path(folder);
  std::filesystem::path seen = base.empty() ? "." : base;
  int at = ::open(seen.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (auto part = path.begin(); at >= 0 && part != path.end(); ++part) {
    seen /= *part;
    const bool last = std::next(part) == path.end();
    made = ::mkdirat(at, part->c_str(), last ? mode : 0777) == 0;
    if (!made && errno != EEXIST) {
      why = reason(errno, seen);
      ::close(at);
      return -1;
    }
    at = step_into(at, part->string());
  }
  if (at < 0) why = reason(errno, seen);
  return at;
}

}  // namespace wtool::host
