#include "engine/sandbox/protected_names.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "base/paths.h"
#include "base/timespec.h"

namespace wtool::engine {

namespace {

// Looks at the whole path first, because most names do not exist, and then at each component below the base.
Found look_for(const std::string& base, const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return Found::missing;
  Found found = S_ISLNK(status.st_mode) ? Found::linked : Found::plain;
  for (std::size_t end = path.find('/', base.size() + 1); end != std::string::npos; end = path.find('/', end + 1)) {
    if (::lstat(path.substr(0, end).c_str(), &status) != 0) return Found::missing;
    if (S_ISLNK(status.st_mode)) found = Found::linked;
  }
  return found;
}

// Binds the folders above the target onto themselves, up to the outermost write root that contains the target.
void hold_folders_above(const std::string& target, const std::vector<Root>& write_roots,
                        std::map<std::string, bool>& binds) {
  std::string outermost = target;
  for (const Root& root : write_roots) {
    if (is_within(target, root.path) && root.path.size() < outermost.size()) outermost = root.path;
  }
  for (std::string folder = target; folder.size() > outermost.size();) {
    folder.erase(std::max<std::size_t>(folder.rfind('/'), 1));
    if (folder != "/") binds.try_emplace(folder, false);  // "/" cannot be renamed.
  }
}

ProtectedFileState state_of(const struct stat& status) {
  return {true,           status.st_dev,         status.st_ino,        status.st_mode,
          status.st_size, to_ns(status.st_mtim), to_ns(status.st_ctim)};
}

void sort_once(std::vector<std::string>& paths) {
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

Found protect_name(const std::string& base, const std::string& path, const std::vector<Root>& write_roots,
                   bool namespaces, ProtectedNames& names) {
  const Found found = look_for(base, path);
  if (found == Found::missing) {
    names.missing.push_back(path);
    return found;
  }
  if (found == Found::linked) names.linked.push_back(path);
  if (namespaces) {
    char resolved[PATH_MAX];
    const char* const target = found == Found::linked ? ::realpath(path.c_str(), resolved) : path.c_str();
    // The command may not write outside the write roots anyway, so a target outside them needs no protection.
    if (target != nullptr && is_within_any(target, write_roots)) {
      names.binds[target] = true;
      hold_folders_above(target, write_roots, names.binds);
    }
  }
  (namespaces && found == Found::plain ? names.bound : names.watched).push_back(path);
  return found;
}

void hold_in_place(const std::string& folder, const std::vector<Root>& write_roots, ProtectedNames& names) {
  if (folder == "/" || !is_within_any(folder, write_roots)) return;
  names.binds.try_emplace(folder, false);
  hold_folders_above(folder, write_roots, names.binds);
}

FolderTime FolderTime::of(const std::string& folder) {
  constexpr std::int64_t settled_after_ns = 100'000'000;
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  struct stat status {};
  if (::lstat(folder.c_str(), &status) != 0) return {};
  const std::int64_t changed_ns = to_ns(status.st_ctim);
  return {status.st_dev, status.st_ino, changed_ns, changed_ns + settled_after_ns < to_ns(now)};
}

bool FolderTime::is_still_that_of(const std::string& folder) const {
  struct stat status {};
  return settled && ::lstat(folder.c_str(), &status) == 0 && device == status.st_dev && inode == status.st_ino &&
         changed_ns == to_ns(status.st_ctim);
}

std::vector<std::string> NamesInFolders::protect(const std::string& folder, const std::vector<std::string>& names,
                                                 bool of_repository, const std::vector<Root>& write_roots,
                                                 bool namespaces, ProtectedNames& result) {
  if (folders_.size() > max_folders) folders_.clear();
  Known& known = folders_[{folder, of_repository}];
  if (!known.missing || !known.time.is_still_that_of(folder)) {
    known.time = FolderTime::of(folder);
    known.present.clear();
    std::vector<std::string> missing;
    for (const std::string& name : names) {
      const bool there = exists(path_below(folder, name.substr(0, name.find('/'))));
      there ? known.present.push_back(name) : missing.push_back(path_below(folder, name));
    }
    known.missing = std::make_shared<const std::vector<std::string>>(std::move(missing));
  }
  result.missing_in.push_back({folder, known.time, known.missing, of_repository});
  std::vector<std::string> found;
  for (const std::string& name : known.present) {
    const std::string path = path_below(folder, name);
    if (protect_name(folder, path, write_roots, namespaces, result) != Found::missing) {
      found.push_back(name);
    } else if (of_repository) {
      result.additions.push_back(Addition::missing(folder, path));
    }
  }
  return found;
}

// How many files of a folder that a command has made are named: a command can make any number of them.
constexpr std::size_t max_contents = 5;

ProtectedNames find_protected_names(const std::vector<Root>& write_roots, const std::vector<std::string>& names,
                                    bool namespaces, NamesInFolders& folders) {
  ProtectedNames result;
  for (const Root& root : write_roots) {
    if (root.folder) folders.protect(root.path, names, false, write_roots, namespaces, result);
  }
  return result;
}

MadeNames find_made_names(const ProtectedNames& names) {
  MadeNames made;
  const auto add = [&](const std::string& path) {
    made.paths.push_back(path);
    std::size_t named = 0;
    for (const auto& [file, state] : FileRecord::look(path)) {
      if (file == path) continue;
      if (++named <= max_contents) {
        made.contents.push_back(file);
      } else {
        ++made.more;
      }
    }
  };
  for (const MissingNames& missing : names.missing_in) {
    if (missing.time.is_still_that_of(missing.folder)) continue;
    for (const std::string& path : *missing.paths) {
      if (!exists(path)) continue;
      add(path);
      if (missing.of_repository)
        made.additions.push_back({missing.folder, path, {}});  // no obstacle: not even the first component existed
    }
  }
  for (const std::string& path : names.missing) {
    if (exists(path)) add(path);
  }
  for (const Addition& addition : names.additions) {
    if (exists(addition.path)) made.additions.push_back(addition);
  }
  sort_once(made.paths);
  sort_once(made.contents);
  return made;
}

FileRecord::FileRecord(const std::vector<std::string>& watched) {
  for (const std::string& path : watched) before_.emplace(path, look(path));
}

FileRecord::States FileRecord::look(const std::string& path) {
  States states;
  struct stat status {};
  ProtectedFileState& own = states[path];
  if (::lstat(path.c_str(), &status) != 0) return states;
  own = state_of(status);
  std::string target = path;
  if (S_ISLNK(status.st_mode)) {
    char resolved[PATH_MAX];
    if (::realpath(path.c_str(), resolved) == nullptr || ::stat(resolved, &status) != 0) return states;
    target = resolved;
    states[target] = state_of(status);
    if (S_ISDIR(status.st_mode) && ::access((target + "/HEAD").c_str(), F_OK) == 0) return states;
  }
  if (!S_ISDIR(status.st_mode)) return states;
  namespace fs = std::filesystem;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(target, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end && states.size() < max_files;
       entry.increment(error)) {
    if (::lstat(entry->path().c_str(), &status) == 0) states[entry->path()] = state_of(status);
  }
  return states;
}

std::vector<std::string> FileRecord::changes() const {
  std::vector<std::string> changed;
  for (const auto& [path, before] : before_) {
    const States after = look(path);
    for (const auto& [file, state] : before) {
      const auto now = after.find(file);
      if (now == after.end() ? state.exists : now->second != state) changed.push_back(file);
    }
    for (const auto& [file, state] : after) {
      if (!before.contains(file)) changed.push_back(file);
    }
  }
  sort_once(changed);
  return changed;
}

ReplacedNames::ReplacedNames(const std::vector<std::string>& bound) {
  before_.reserve(bound.size());
  for (const std::string& path : bound) {
    if (const auto entry = entry_at(AT_FDCWD, path.c_str())) before_.emplace_back(path, *entry);
  }
}

std::vector<std::string> ReplacedNames::find() const {
  // Without a time of birth, an identity has the time of the last change, and the user may change a file that is held.
  const auto is_same = [](const FileEntry& before, const FileEntry& now) {
    if (before.knows_birth && now.knows_birth) return before.identity == now.identity;
    return before.identity.device == now.identity.device && before.identity.inode == now.identity.inode;
  };
  std::vector<std::string> replaced;
  for (const auto& [path, before] : before_) {
    const auto now = entry_at(AT_FDCWD, path.c_str());
    // If the folder is gone, too, there is nothing that a command could have changed.
    if (now ? !is_same(before, *now) : exists(parent_of(path))) replaced.push_back(path);
  }
  return replaced;
}

}  // namespace wtool::engine
