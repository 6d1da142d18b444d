#include "engine/sandbox/repositories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/descriptor.h"
#include "base/environment_snapshot.h"
#include "base/files.h"
#include "base/git_path.h"
#include "base/lasting.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/timespec.h"
#include "engine/sandbox/git_files.h"
#include "engine/sandbox/real_path.h"

namespace wtool::engine {

namespace {

namespace fs = std::filesystem;

// The names that are protected in each repository's folder, including those of submodules and worktrees. commondir and
// gitdir name other folders with a configuration; attributes select commands of the configuration; alternates name
// other repositories, in which git runs further git commands; so do the remotes of old versions of git.
const auto& guarded = lasting<std::vector<std::string>>(
    std::initializer_list<std::string>{"config", "hooks", "config.worktree", "commondir", "gitdir", "info/attributes",
                                       "objects/info/alternates", "remotes", "branches"});

// With more binds, a command would start slowly: each costs some microseconds.
constexpr std::size_t max_binds = 1000;
// At most this many of the folders that cannot be protected are reported.
constexpr std::size_t max_closed_named = 3;

constexpr std::size_t max_settings = std::size_t{1} << 20;
constexpr std::size_t max_index = std::size_t{64} << 20;
constexpr std::size_t max_config_files = 16;
constexpr std::size_t max_named = 64;

// The content of a plain file. Nothing: `path` is not a plain file, or the file is larger than `most`.
std::optional<std::string> read_file(const std::string& path, std::size_t most) {
  struct stat status {};
  // A device is not even opened.
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  std::string text;
  return read_all(file.get(), most, text) == 0 ? std::optional(std::move(text)) : std::nullopt;
}

// A path from one of git's files; a relative one is relative to `base`. Links are not resolved.
std::string resolve_from(const std::string& base, const std::string& name) {
  fs::path path = name;
  if (name.starts_with("~/")) {
    const auto environment = latest_environment();
    const char* const home = environment->find("HOME");
    if (home == nullptr) return {};
    path = home + name.substr(1);
  }
  std::string text = (fs::path(base) / path).lexically_normal();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// The path in a file of one line, such as commondir; empty if there is no such file.
std::string path_in_file(const std::string& file, std::string_view prefix = {}) {
  constexpr std::size_t max_line = 8192;
  const auto path = path_in_git_file(read_file(file, max_line).value_or(std::string()), prefix);
  return path ? resolve_from(parent_of(file), *path) : std::string();
}

// The checkout of the worktree whose folder in its repository this is; empty if it is no such folder.
std::string checkout_of_worktree(const std::string& folder) {
  const std::string file = path_in_file(folder + "/gitdir");
  return file.empty() ? file : parent_of(file);
}

// True if the key is in a section whose values may be commands that git runs.
bool runs_commands(std::string_view key) {
  static constexpr std::array<std::string_view, 16> sections = {
      "core",  "diff",        "difftool", "merge",   "mergetool", "filter", "credential", "gpg",
      "pager", "interactive", "sequence", "trailer", "browser",   "man",    "hook",       "ssh"};
  return std::find(sections.begin(), sections.end(), key.substr(0, key.find('.'))) != sections.end();
}

// Protects the guarded names of one repository, and the files that its configuration names.
class RepositoryGuard {
 public:
  RepositoryGuard(const FoundRepository& repository, const std::vector<Root>& write_roots, bool namespaces,
                  ProtectedNames& names)
      : path_(repository.path), write_roots_(write_roots), namespaces_(namespaces), names_(names) {
    // A write root called .git is found like a bare repository.
    top_ = path_.ends_with("/.git") ? parent_of(path_) : path_;
  }

  void protect(NamesInFolders& folders) {
    // This is needed even if the repository has none of the names: otherwise, the repository could be moved away and
    // replaced by another folder.
    if (namespaces_) hold_in_place(path_, write_roots_, names_);
    const auto found = folders.protect(path_, guarded, true, write_roots_, namespaces_, names_);
    read_configuration(std::find(found.begin(), found.end(), "commondir") != found.end());
  }

  // False: the command may write in no part of the checkout, so it has nothing to check out or to stage there.
  bool reaches_checkout() const {
    const std::string top = real_path(top_);
    if (is_within_any(top, write_roots_)) return true;
    return std::any_of(write_roots_.begin(), write_roots_.end(), [&](const Root& root) {
      // A worktree may be in the folder of another checkout.
      struct stat status {};
      return is_within(root.path, top) && !is_within(root.path, path_) &&
             ::lstat((root.path + "/.git").c_str(), &status) != 0;
    });
  }

 private:
  void read_configuration(bool worktree) {
    std::string common = path_;
    if (worktree) {
      const std::string other = path_in_file(path_ + "/commondir");
      if (!other.empty()) common = other;
      const std::string checkout = checkout_of_worktree(path_);
      if (!checkout.empty()) top_ = checkout;
    }
    files_ = {common + "/config", path_ + "/config.worktree"};
    // apply() appends included files to files_.
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const std::string file = files_[i];
      struct stat status {};
      if (::stat(file.c_str(), &status) != 0) continue;
      const auto text = read_file(file, max_settings);
      if (!text) {
        names_.problems.push_back(file + " cannot be read, so the files that it names are not protected");
        continue;
      }
      const auto settings = read_git_settings(*text);
      for (const GitSetting& setting : settings) {
        // For a worktree, this setting counts only in its own file.
        if (setting.key == "core.worktree" && (!worktree || file == path_ + "/config.worktree"))
          top_ = resolve_from(path_, setting.value);
      }
      for (const GitSetting& setting : settings) apply(setting, file);
    }
    if (too_many_) {
      names_.problems.push_back("the configuration of " + path_ + " names more files than can be protected");
    }
  }

  void apply(const GitSetting& setting, const std::string& file) {
    if (setting.value.empty()) return;
    if (setting.key == "include.path" || setting.key == "includeif.path") {
      const std::string included = resolve_from(parent_of(file), setting.value);
      add_named(included, false);
      if (std::find(files_.begin(), files_.end(), included) != files_.end()) return;
      if (files_.size() < max_config_files) {
        files_.push_back(included);
      } else {
        too_many_ = true;
      }
    } else if (setting.key == "core.hookspath") {
      add_named(resolve_from(top_, setting.value), true);
    } else if (runs_commands(setting.key)) {
      for (const std::string& word : paths_in_command(setting.value)) add_named(resolve_from(top_, word), false);
    }
  }

  // Adds a file, or a folder of hooks, that git executes or reads as configuration.
  void add_named(const std::string& path, bool hooks) {
    // Links in `path` are not resolved: a command can change a link in a write root, so the link itself must be
    // protected.
    const Root* root = nullptr;
    for (const Root& write_root : write_roots_) {
      if (write_root.folder && is_within(path, write_root.path)) root = &write_root;
    }
    if (root == nullptr || path.empty()) return;
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && !S_ISREG(status.st_mode) && !(hooks && S_ISDIR(status.st_mode))) return;
    if (is_within(path_, path)) {
      names_.problems.push_back("core.hooksPath of " + path_ + " is " + path +
                                ", which contains the whole repository, so the hooks are not protected");
      return;
    }
    if (++named_ > max_named) {
      too_many_ = true;
      return;
    }
    if (protect_name(root->path, path, write_roots_, namespaces_, names_) == Found::missing) {
      names_.additions.push_back(Addition::missing(root->path, path));
    }
  }

  const std::string path_;
  const std::vector<Root>& write_roots_;
  const bool namespaces_;
  ProtectedNames& names_;
  std::string top_;                 // where git runs hooks and commands
  std::vector<std::string> files_;  // of the configuration
  std::size_t named_ = 0;
  bool too_many_ = false;
};

// Holds what is checked out and staged in a checkout that the command does not reach, and what the user has begun there:
// `git rebase --continue` runs commands. The user's programs replace these files all the time, so they are not compared
// afterwards.
void hold_checkout(const std::string& repository, ProtectedNames& names) {
  for (const char* name : {"/HEAD", "/index", "/rebase-apply", "/rebase-merge", "/sequencer"}) {
    const std::string file = repository + name;
    struct stat status {};
    if (names.binds.size() >= max_binds || ::lstat(file.c_str(), &status) != 0 || S_ISLNK(status.st_mode)) continue;
    names.binds[file] = true;
    names.held.push_back(file);
  }
}

// True for a worktree whose checkout is not in a write root. A command cannot have made it.
bool has_checkout_elsewhere(const FoundRepository& found, const std::vector<Root>& write_roots) {
  if (found.kind != FoundRepository::Kind::bare) return false;
  const std::string checkout = checkout_of_worktree(found.path);
  return !checkout.empty() && !is_within_any(real_path(checkout), write_roots);
}

// The folder in which git finds the repository.
std::string folder_of(const FoundRepository& found) {
  return found.kind == FoundRepository::Kind::bare ? found.path : parent_of(found.path);
}

std::string index_of(const FoundRepository& found) {
  if (found.kind == FoundRepository::Kind::folder || found.kind == FoundRepository::Kind::link) {
    return found.path + "/index";
  }
  if (found.kind != FoundRepository::Kind::file) return {};
  const std::string repository = path_in_file(found.path, "gitdir: ");
  return repository.empty() ? repository : repository + "/index";
}

// True if the index of the repository has changed since `changed_since_ns`, and lists this folder of the checkout as a
// submodule. Also true if the changed index cannot be read.
bool takes_for_submodule(const FoundRepository& repository, const std::string& folder, std::int64_t changed_since_ns) {
  const std::string top = folder_of(repository);
  const std::string file = index_of(repository);
  struct stat status {};
  if (file.empty() || ::stat(file.c_str(), &status) != 0) return false;
  if (to_ns(status.st_ctim) < changed_since_ns) return false;
  const auto index = read_file(file, max_index);
  return !index || is_submodule(*index, folder.substr(top == "/" ? 1 : top.size() + 1));
}

// True if git would not recognise the folder as a repository.
bool is_broken(const std::string& path) {
  constexpr std::size_t max_head = 4096;
  const std::string head = path + "/HEAD";
  char target[PATH_MAX];
  const ssize_t size = ::readlink(head.c_str(), target, sizeof target);
  const std::string text = size > 0 ? "ref: " + std::string(target, static_cast<std::size_t>(size))
                                    : read_file(head, max_head).value_or(std::string());
  constexpr std::size_t shortest_hash = 40;
  const bool detached = text.find_first_not_of("0123456789abcdefABCDEF") >= shortest_hash;
  const bool points = text.starts_with("ref:") && text.find("refs/") == text.find_first_not_of(" \t", 4);
  if (!points && !(detached && text.size() >= shortest_hash)) return true;
  return ::access((path + "/objects").c_str(), X_OK) != 0 || ::access((path + "/refs").c_str(), X_OK) != 0;
}

}  // namespace

void protect_repositories(const Repositories& repositories, const FoundByPath& made,
                          const std::vector<Root>& write_roots, bool namespaces, NamesInFolders& folders,
                          ProtectedNames& names) {
  std::size_t not_held = 0;
  std::size_t left_open = 0;
  for (const std::string& path : repositories.closed) {
    // A folder in which a command must be able to write cannot be bound read-only.
    const bool has_root = std::any_of(write_roots.begin(), write_roots.end(),
                                      [&](const Root& root) { return is_within(root.path, path); });
    if (namespaces && !has_root && names.binds.size() < max_binds) {
      protect_name(parent_of(path), path, write_roots, true, names);
    } else if (++left_open <= max_closed_named) {
      names.problems.push_back(closed_text(path));
    }
  }
  if (left_open > max_closed_named) {
    names.problems.push_back(counted(static_cast<std::int64_t>(left_open - max_closed_named), "more folder") +
                             " cannot be searched for repositories, for the same reason");
  }
  std::vector<std::string> out_of_reach;
  for (const auto& [path, found] : repositories.found) {
    const auto own = made.find(path);
    if (found.kind == FoundRepository::Kind::inner) continue;
    if (own != made.end() && own->second == found && !has_checkout_elsewhere(found, write_roots)) continue;
    const bool hold = namespaces && names.binds.size() < max_binds;
    if (namespaces && !hold) ++not_held;
    if (found.kind == FoundRepository::Kind::file || found.kind == FoundRepository::Kind::link) {
      protect_name(parent_of(path), path, write_roots, hold, names);
    } else {
      RepositoryGuard guard(found, write_roots, hold, names);
      guard.protect(folders);
      if (hold && !guard.reaches_checkout()) out_of_reach.push_back(path);
    }
  }
  for (const std::string& path : out_of_reach) hold_checkout(path, names);
  if (not_held > 0) {
    names.problems.push_back(std::to_string(not_held) + " of " + std::to_string(repositories.found.size()) +
                             " repositories are not protected, because there are too many");
  }
}

MadeRepositories find_made_repositories(const Repositories& before, const Repositories& after) {
  MadeRepositories made;
  for (const auto& [path, found] : after.found) {
    const auto known = before.found.find(path);
    if (known != before.found.end() && known->second == found) continue;
    made.all.emplace(path, found);
    const std::size_t inside = path.find("/.git/");
    if (inside == std::string::npos || !made.all.contains(path.substr(0, inside + 5))) made.reported.push_back(path);
  }
  return made;
}

std::vector<Addition> find_intruders(const FoundByPath& made, const MadeRepositories& new_ones,
                                     const FoundByPath& before, std::int64_t since_ns) {
  std::vector<Addition> intruders;
  for (const auto& [path, found] : made) {
    if (found.kind == FoundRepository::Kind::inner) continue;
    const std::string folder = folder_of(found);
    const bool is_new = new_ones.all.contains(path);
    // Skips a repository that replaced another one at its path, since the replaced one is lost anyway. Also skips a
    // repository inside a .git, because only a file .git leads to it, and that file is protected.
    if ((is_new && before.contains(path)) || path.find("/.git/") != std::string::npos) continue;
    const auto disturbs = [&, &path = path](const FoundRepository& other) {
      const std::string top = folder_of(other);
      if (top == folder) return other.path != path;
      if (is_within(folder, top)) return takes_for_submodule(other, folder, is_new ? 0 : since_ns);
      return is_within(top, folder) && other.kind == FoundRepository::Kind::folder && is_broken(other.path);
    };
    const bool intrudes = std::any_of(before.begin(), before.end(), [&](const auto& known) {
      const auto own = made.find(known.first);
      return (own == made.end() || own->second != known.second) && disturbs(known.second);
    });
    const bool bare = found.kind == FoundRepository::Kind::bare;
    if (intrudes) intruders.push_back({folder, bare ? folder + "/HEAD" : path, {}});
  }
  // Of links, those that a command makes in its own new repository stay.
  for (const std::string& path : new_ones.reported) {
    if (made.at(path).kind == FoundRepository::Kind::inner) intruders.push_back({parent_of(path), path, {}});
  }
  return intruders;
}

}  // namespace wtool::engine
