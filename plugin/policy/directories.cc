#include "policy/directories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

namespace wtool::policy {

namespace {

DirectoryError explain(const std::string& path, int error) {
  const std::string shown = path.empty() ? "the current directory of the host" : path;
  switch (error) {
    case ENOENT:
      return {shown + " does not exist", "create it first, or name another directory", error};
    case ENOTDIR:
      return {shown + " is not a directory", "name the directory that holds it", error};
    case EACCES:
      return {shown + " may not be entered: permission denied", "its permissions, or those of a parent, forbid it",
              error};
    case ELOOP:
      return {shown + " has too many symbolic links", "a link in it may point at itself", error};
    case ENAMETOOLONG:
      return {"the path is too long (" + std::to_string(shown.size()) + " bytes)", "", error};
    default:
      return {shown + " cannot be opened: " + std::strerror(error), "", error};
  }
}

}  // namespace

std::variant<Directory, DirectoryError> open_directory(const std::string& path) {
  Directory directory;
  directory.descriptor = Descriptor(::open(path.empty() ? "." : path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.descriptor) return explain(path, errno);
  // The kernel's own name for what was opened.
  char link[32];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", directory.descriptor.get());
  char target[PATH_MAX];
  const ssize_t length = ::readlink(link, target, sizeof target);
  if (length <= 0) {
    return DirectoryError{std::string(link) + " cannot be read: " + std::strerror(errno),
                          "this needs /proc to be mounted", errno};
  }
  directory.path.assign(target, static_cast<std::size_t>(length));
  struct stat status {};
  if (::fstat(directory.descriptor.get(), &status) == 0 && status.st_nlink == 0) return explain(path, ENOENT);
  return directory;
}

}  // namespace wtool::policy
