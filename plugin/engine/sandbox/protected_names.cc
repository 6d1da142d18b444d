#include "engine/sandbox/protected_names.h"

#include <sys/stat.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>

namespace wtool::engine {

namespace {

std::string join(const std::string& folder, const std::string& name) {
  return folder == "/" ? folder + name : folder + '/' + name;
}

enum class Found { missing, plain, linked };

// Looks at each component below the root.
Found look_for(const std::string& root, const std::string& path) {
  struct stat status {};
  for (std::size_t end = root.size(); end != std::string::npos;) {
    end = path.find('/', end + 1);
    if (::lstat(path.substr(0, end).c_str(), &status) != 0) return Found::missing;
    if (S_ISLNK(status.st_mode)) return Found::linked;
  }
  return Found::plain;
}

// The read-only bind of `target`, and the folders above it up to the outermost write root that it lies in.
void add_binds(const std::string& target, const std::vector<Root>& write_roots, std::map<std::string, bool>& binds) {
  binds[target] = true;
  std::string outermost = target;
  for (const Root& root : write_roots) {
    if (is_below(target, root.path) && root.path.size() < outermost.size()) outermost = root.path;
  }
  for (std::string folder = target; folder.size() > outermost.size();) {
    folder.erase(std::max<std::size_t>(folder.rfind('/'), 1));
    if (folder != "/") binds.try_emplace(folder, false);  // "/" cannot be renamed.
  }
}

FileState state_of(const struct stat& status) {
  const auto nanoseconds = [](const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {true,
          status.st_dev,
          status.st_ino,
          status.st_mode,
          status.st_size,
          nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

}  // namespace

ProtectedNames find_protected_names(const std::vector<Root>& write_roots, const std::vector<std::string>& names,
                                    bool namespaces) {
  ProtectedNames result;
  for (const Root& root : write_roots) {
    if (!root.folder) continue;
    for (const std::string& name : names) {
      std::string path = join(root.path, name);
      const Found found = look_for(root.path, path);
      if (found == Found::linked) result.linked.push_back(path);
      if (namespaces && found != Found::missing) {
        char target[PATH_MAX];
        // What a link leads to outside of the write roots, nobody may write anyway.
        if (::realpath(path.c_str(), target) != nullptr && is_below_any(target, write_roots)) {
          add_binds(target, write_roots, result.binds);
        }
      }
      const bool held = namespaces && found == Found::plain;
      (held ? result.bound : result.watched).push_back(std::move(path));
    }
  }
  return result;
}

FileRecord::FileRecord(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) before_.emplace(path, look(path));
}

FileRecord::States FileRecord::look(const std::string& path) {
  States states;
  struct stat status {};
  FileState& own = states[path];
  if (::lstat(path.c_str(), &status) != 0) return states;
  own = state_of(status);
  std::string target = path;
  if (S_ISLNK(status.st_mode)) {
    char resolved[PATH_MAX];
    if (::realpath(path.c_str(), resolved) == nullptr || ::stat(resolved, &status) != 0) return states;
    target = resolved;
    states[target] = state_of(status);
  }
  if (!S_ISDIR(status.st_mode)) return states;
  namespace fs = std::filesystem;
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(target, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end && states.size() < most_files;
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
  std::sort(changed.begin(), changed.end());
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  return changed;
}

}  // namespace wtool::engine
