// The working directory of a command: opened once and then used by its descriptor, so that nobody can swap it between
// the check and the use. Also resolves paths, and says whether a path is below another one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/descriptor.h"
#include "base/paths.h"

namespace wtool::policy {

struct Directory {
  Descriptor descriptor;
  std::string path;  // canonical: absolute, without symbolic links
};

struct DirectoryError {
  std::string message;  // names the path and says what is wrong
  std::string hint;
  int error = 0;  // errno
};

// Opens `path`, relative to the current directory of this process; an empty path means that directory itself.
std::variant<Directory, DirectoryError> open_directory(const std::string& path);

// Resolves paths from one directory (canonical). Keeps this directory open, and resolves the paths below the directory
// through its descriptor instead of from the root.
class PathResolver {
 public:
  explicit PathResolver(std::string_view directory);

  // The canonical form of `path`. Links are followed, even dangling ones: a missing file is where it would be created.
  // Nothing: the path has more than 40 links, or leads into the folder of a process (/proc/self), whose links lead to
  // different files in a different process or at a later time.
  std::optional<std::string> resolve(std::string_view path) const;

 private:
  std::string prefix_;  // the directory, without a slash at its end
  Descriptor directory_;
};

// Like PathResolver::resolve, for a single path. Never fails: returns "/" where PathResolver::resolve returns nothing.
std::string resolve_path(std::string_view directory, std::string_view path);

// What resolve_folder() returns for a folder that only the command itself can resolve, and for every path below such a
// folder.
inline constexpr std::string_view unknown_folder = "/proc/self";

// Like resolve_path, but returns unknown_folder for a path that only the command itself can resolve. Used to find out
// where `cd` leads, and which file an operand names.
std::string resolve_folder(std::string_view directory, std::string_view path);

// The roots of directories.roots, canonical. A root that does not exist now contains nothing, and is left out.
std::vector<std::string> canonical_roots(const std::vector<std::string>& roots);

// True if one of the roots (canonical) contains the path (canonical).
bool is_within_any(std::string_view path, const std::vector<std::string>& roots);

}  // namespace wtool::policy
