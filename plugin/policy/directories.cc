#include "policy/directories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "base/open_resolving.h"

namespace wtool::policy {

namespace {

DirectoryError explain(const std::string& path, int error) {
  const std::string shown = path.empty() ? "the current directory of the host" : path;
  switch (error) {
    case ENOENT:
      if (path.empty()) {
        return {shown + " has been deleted", "name a directory, even if it has the same path, or restart the host",
                error};
      }
      return {shown + " does not exist", "create it first, or name another directory", error};
    case ENOTDIR:
      return {shown + " is not a directory", "name the directory that contains it", error};
    case EACCES:
      return {shown + " may not be entered: permission denied",
              "the permissions of the directory, or of one above it, do not allow it", error};
    case ELOOP:
      return {shown + " has too many symbolic links", "a link in it may point at itself", error};
    case ENAMETOOLONG:
      return {"the path is too long (" + std::to_string(shown.size()) + " bytes)", "", error};
    default:
      return {shown + " cannot be opened: " + std::strerror(error), "", error};
  }
}

// True for an absolute path without ".", ".." and empty components.
bool is_normal(std::string_view path) {
  if (!path.starts_with('/')) return false;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at + 1), path.size());
    const std::string_view part = path.substr(at + 1, end - at - 1);
    if (part.empty() || part == "." || part == "..") return path == "/";
    at = end;
  }
  return true;
}

// Opens a folder whose path is normal and has no links, which is true of most paths. The path is then the name that the
// kernel would report. So that name need not be read from /proc, which would take several times as long as everything
// else here. Empty: the path is not normal, has links, or cannot be opened.
Descriptor open_folder_without_links(const std::string& path) {
  if (!is_normal(path)) return {};
  return Descriptor(open_resolving(AT_FDCWD, path.c_str(), O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
}

// Empty: the current directory no longer has a path.
std::string current_directory() {
  char path[PATH_MAX];
  return ::getcwd(path, sizeof path) != nullptr ? path : "";
}

// O_PATH also opens a directory that may not be entered, so the permission is checked separately.
bool may_be_entered(const Descriptor& directory) {
  return ::faccessat(directory.get(), ".", X_OK, AT_EACCESS) == 0 || errno != EACCES;
}

}  // namespace

std::variant<Directory, DirectoryError> open_directory(const std::string& path) {
  Directory directory;
  directory.path = path.empty() ? current_directory() : path;
  directory.descriptor = open_folder_without_links(directory.path);
  if (directory.descriptor) {
    if (!may_be_entered(directory.descriptor)) return explain(path, EACCES);
    return directory;
  }
  directory.descriptor = Descriptor(::open(path.empty() ? "." : path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory.descriptor) return explain(path, errno);
  // Asks the kernel for the name of the opened directory.
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
  if (!may_be_entered(directory.descriptor)) return explain(path, EACCES);
  return directory;
}

bool is_within_any(std::string_view path, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](const std::string& root) { return is_within(path, root); });
}

namespace {

// What precedes "/NAME" in the path of an entry of `directory`.
std::string_view prefix_of(std::string_view directory) { return directory == "/" ? "" : directory; }

// Reads the symbolic link at `path` (absolute). False: the path is not a link, or cannot be read (see errno).
// `directory` is the opened `prefix`, or -1.
bool read_link_at(std::string_view prefix, int directory, const std::string& path, std::string& target) {
  char text[PATH_MAX];
  const bool is_below =
      directory >= 0 && path.size() > prefix.size() + 1 && path.starts_with(prefix) && path[prefix.size()] == '/';
  const ssize_t length = is_below ? ::readlinkat(directory, path.c_str() + prefix.size() + 1, text, sizeof text)
                                  : ::readlink(path.c_str(), text, sizeof text);
  if (length <= 0) return false;
  target.assign(text, static_cast<std::size_t>(length));
  return true;
}

// True for the folder of a process. For a different process, such as the command, or at a later time, the links in this
// folder lead to different files.
bool is_of_process(std::string_view path) {
  constexpr std::string_view processes = "/proc/";
  if (!path.starts_with(processes)) return false;
  path.remove_prefix(processes.size());
  return path == "self" || path == "thread-self" || path.find_first_not_of("0123456789") == path.npos;
}

// Nothing: only the command itself can resolve the path.
std::optional<std::string> resolve_from(std::string_view prefix, int directory, std::string_view path) {
  constexpr int max_links = 40;  // the kernel's own limit
  // A path of more than PATH_MAX bytes cannot be opened. Without a slash, it could only be a name in the directory.
  if (path.size() > PATH_MAX) {
    if (path.find('/') == std::string_view::npos && !prefix.empty()) return std::string(prefix);
    return std::nullopt;
  }
  if (prefix == unknown_folder && !path.starts_with('/')) return std::nullopt;
  int links = 0;
  // How many of the last names in `done` do not exist. Below a missing name, there are no links to read.
  std::size_t missing = 0;
  std::string done, rest_of_link, target;
  done.reserve(prefix.size() + 1 + path.size());
  if (!path.starts_with('/')) done = prefix;
  std::string_view rest = path;
  while (!rest.empty()) {
    const std::size_t begin = rest.find_first_not_of('/');
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(rest.find('/', begin), rest.size());
    const std::string_view part = rest.substr(begin, end - begin);
    rest.remove_prefix(end);
    if (part == ".") continue;
    if (part == "..") {
      done.erase(std::min(done.rfind('/'), done.size()));
      missing -= missing > 0 ? 1 : 0;
      continue;
    }
    done.append("/").append(part);
    if (missing > 0) {
      ++missing;
      continue;
    }
    if (is_of_process(done)) return std::nullopt;
    if (!read_link_at(prefix, directory, done, target)) {
      if (errno != EINVAL) missing = 1;  // EINVAL: it exists, and is not a link
      continue;
    }
    if (++links > max_links) return std::nullopt;
    done.erase(target[0] == '/' ? 0 : std::min(done.rfind('/'), done.size()));
    rest_of_link = target.append(rest);
    rest = rest_of_link;
  }
  return done.empty() ? "/" : done;
}

}  // namespace

PathResolver::PathResolver(std::string_view directory)
    : prefix_(prefix_of(directory)),
      // If this fails, each path is resolved from the root.
      directory_(::open(std::string(directory).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

std::optional<std::string> PathResolver::resolve(std::string_view path) const {
  return resolve_from(prefix_, directory_.get(), path);
}

std::string resolve_path(std::string_view directory, std::string_view path) {
  return resolve_from(prefix_of(directory), -1, path).value_or("/");
}

std::string resolve_folder(std::string_view directory, std::string_view path) {
  return resolve_from(prefix_of(directory), -1, path).value_or(std::string(unknown_folder));
}

std::vector<std::string> canonical_roots(const std::vector<std::string>& roots) {
  std::vector<std::string> canonical;
  for (const std::string& root : roots) {
    char real[PATH_MAX];
    struct stat status {};
    // resolve_path() would return "/" for a path that it cannot resolve, and that root would contain everything.
    if (::realpath(root.c_str(), real) != nullptr && ::stat(real, &status) == 0 && S_ISDIR(status.st_mode)) {
      canonical.emplace_back(real);
    }
  }
  return canonical;
}

}  // namespace wtool::policy
