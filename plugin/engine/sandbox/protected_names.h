// Protected names: files and folders inside a write root that a command may not change.
//
// - Existing names are bound read-only for the command (warden/sandbox_child.h). Each folder above them, up to a write
//   root, is bound onto itself. If another program replaces such a name, the bind is lost (ReplacedNames).
// - Names that do not exist, and names reached through a symbolic link (a link cannot be a mount point, so it can be
//   replaced), are watched: recorded before the command and compared after it. Without namespaces, all names are
//   watched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/sandbox/file_identity.h"
#include "engine/sandbox/put_aside.h"
#include "engine/sandbox/roots.h"

namespace wtool::engine {

// The recorded state of one file or folder.
struct ProtectedFileState {
  bool exists = false;
  dev_t device = 0;
  ino_t inode = 0;
  mode_t mode = 0;
  off_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;

  friend bool operator==(const ProtectedFileState&, const ProtectedFileState&) = default;
};

// When the entries of a folder last changed. Two changes within a short time may have the same time stamp, so a time
// stamp is reliable only once some time has passed.
struct FolderTime {
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t changed_ns = 0;
  bool settled = false;

  static FolderTime of(const std::string& folder);
  // True if the folder certainly still has the entries that it had at this time.
  bool is_still_that_of(const std::string& folder) const;
};

// Names whose first component does not exist.
struct MissingNames {
  std::string folder;  // the folder in which they would be
  FolderTime time;
  std::shared_ptr<const std::vector<std::string>> paths;
  bool of_repository = false;  // If they were made, they would change the repository `folder`.
};

// The protected names of one call, as paths.
struct ProtectedNames {
  std::map<std::string, bool> binds;  // path -> true: read-only; false: bound onto itself; parents come first
  std::vector<std::string> bound;     // the names that are protected by a bind
  std::vector<std::string> held;      // the same, but nobody needs to know if another program replaces them
  std::vector<std::string> linked;    // the names reached through a link: protected only as long as the link stays
  std::vector<std::string> watched;   // existing names, to be recorded and compared
  std::vector<std::string> problems;  // sentences: what cannot be protected, and why
  // The names that do not exist: first those listed by folder, then the others.
  std::vector<MissingNames> missing_in;
  std::vector<std::string> missing;
  std::vector<Addition> additions;  // those of `missing` that would change a repository
};

enum class Found { missing, plain, linked };

// Adds `path`, which is below `base`. The path of the base must have no links. Returns what exists at `path`. Without
// `namespaces` nothing is bound, and existing files are watched.
Found protect_name(const std::string& base, const std::string& path, const std::vector<Root>& write_roots,
                   bool namespaces, ProtectedNames& names);

// Binds the folder and the folders above it onto themselves, so that none of them can be moved.
void hold_in_place(const std::string& folder, const std::vector<Root>& write_roots, ProtectedNames& names);

// Remembers which names a folder does not have, so that looking for many names costs one look at the folder. Only one
// thread at a time may use an object.
class NamesInFolders {
 public:
  // Adds folder/name for each of the names, and returns those that exist. The path of the folder must have no links,
  // and the same `names` must be given for the folder at every call.
  std::vector<std::string> protect(const std::string& folder, const std::vector<std::string>& names, bool of_repository,
                                   const std::vector<Root>& write_roots, bool namespaces, ProtectedNames& result);

 private:
  struct Known {
    FolderTime time;
    std::vector<std::string> present;  // names whose first component exists
    std::shared_ptr<const std::vector<std::string>> missing;
  };
  static constexpr std::size_t max_folders = 10'000;

  std::map<std::pair<std::string, bool>, Known> folders_;  // by folder and `of_repository`
};

// Finds the names in each root, as they are now.
ProtectedNames find_protected_names(const std::vector<Root>& write_roots, const std::vector<std::string>& names,
                                    bool namespaces, NamesInFolders& folders);

// Which of the missing names a command has made.
struct MadeNames {
  std::vector<std::string> paths;     // sorted
  std::vector<std::string> contents;  // sorted: the first files of each folder among them
  std::size_t more = 0;               // how many other files these folders have, up to FileRecord::max_files each
  std::vector<Addition> additions;
};
MadeNames find_made_names(const ProtectedNames& names);

// The states of the watched paths. The record of a folder includes everything in it, up to `max_files` for each path. A
// link to a folder is followed, unless the folder is a repository: the names in a repository are protected separately.
class FileRecord {
 public:
  static constexpr std::size_t max_files = 10'000;

  explicit FileRecord(const std::vector<std::string>& watched);

  // The paths that have changed since the record was made, sorted. Each path in a folder is listed by itself.
  std::vector<std::string> changes() const;

  using States = std::map<std::string, ProtectedFileState>;
  static States look(const std::string& path);

 private:
  std::map<std::string, States> before_;
};

// Finds out which of the bound names were replaced while a command ran. If a program outside of the command's namespace
// renames another file onto a bound one, as git does to write its configuration, the kernel removes the bind: from then
// on, the command may change the new file.
class ReplacedNames {
 public:
  explicit ReplacedNames(const std::vector<std::string>& bound);

  // The names that were replaced since then, in the order of `bound`.
  std::vector<std::string> find() const;

 private:
  std::vector<std::pair<std::string, FileEntry>> before_;
};

}  // namespace wtool::engine
