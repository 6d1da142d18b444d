#include "engine/sandbox/roots.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/open_resolving.h"
#include "base/paths.h"

namespace wtool::engine {

namespace {

bool resolve(const std::string& name, const char* key, Root& root, std::string& error) {
  char resolved[PATH_MAX];
  struct stat status {};
  if (::realpath(name.c_str(), resolved) == nullptr || ::stat(resolved, &status) != 0) {
    error = std::string(key) + " names " + name +
            ", which cannot be used as a root of the sandbox: " + std::strerror(errno);
    return false;
  }
  root = {resolved, status.st_dev, status.st_ino, S_ISDIR(status.st_mode)};
  return true;
}

// The path without "." and "..", and without a slash at its end; links stay.
std::string lexical(const std::string& name) {
  std::string path = std::filesystem::path(name).lexically_normal();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

void KnownRoots::learn(const SandboxPolicy& policy) {
  for (const auto* names : {&policy.write, &policy.read}) {
    for (const std::string& name : *names) {
      Root root;
      std::string missing;
      std::error_code error;
      // For a root that is missing, only its place is known: a link that appears there later leads elsewhere.
      const bool exists = resolve(name, "", root, missing);
      if (!exists) root = {.path = lexical(std::filesystem::weakly_canonical(name, error).string())};
      const std::lock_guard lock(mutex_);
      if (!error) roots_.try_emplace(name, Known{root, exists});
    }
  }
}

bool KnownRoots::is_same(const std::string& name, Known& known, const Root& now, const SandboxPolicy& policy) const {
  const bool is_read = std::find(policy.write.begin(), policy.write.end(), name) == policy.write.end();
  if (now.path != known.root.path) {
    // Programs that manage configuration files replace the links to them.
    return is_read && known.exists && std::any_of(roots_.begin(), roots_.end(), [&](const auto& other) {
             return other.first != name && other.second.exists && is_within(now.path, other.second.root.path);
           });
  }
  if (!known.exists) known = {now, true};
  if (now.folder != known.root.folder) return false;
  // A command that may write in the folder around it may replace it.
  const bool is_nested = std::any_of(policy.write.begin(), policy.write.end(), [&](const std::string& other) {
    return other != name && is_within(lexical(name), lexical(other)) && lexical(name) != lexical(other);
  });
  return is_read || is_nested || !now.folder || (now.device == known.root.device && now.inode == known.root.inode);
}

std::string KnownRoots::check(const std::string& name, const Root& found, const SandboxPolicy& policy) {
  const std::lock_guard lock(mutex_);
  Known& known = roots_.try_emplace(name, Known{found, true}).first->second;
  const Root first = known.root;
  if (is_same(name, known, found, policy)) return {};
  const std::string replaced = "has been replaced since the configuration was first read: it ";
  if (found.path != first.path) return replaced + "led to " + first.path + ", and leads to " + found.path + " now";
  if (found.folder && first.folder) return replaced + "is another folder now";
  return replaced + (found.folder ? "is a folder now" : "is no longer a folder");
}

bool KnownRoots::are_lost(const SandboxPolicy& policy) {
  const auto is_lost = [&](const std::string& name) {
    Root now;
    std::string missing;
    const bool exists = resolve(name, "", now, missing);
    const std::lock_guard lock(mutex_);
    const auto known = roots_.find(name);
    if (known == roots_.end() || !known->second.exists) return false;
    return !exists || !is_same(name, known->second, now, policy);
  };
  return std::any_of(policy.write.begin(), policy.write.end(), is_lost) ||
         std::any_of(policy.read.begin(), policy.read.end(), is_lost);
}

bool is_within_any(std::string_view path, const std::vector<Root>& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](const Root& root) { return is_within(path, root.path); });
}

std::string list_roots(const std::vector<Root>& roots) {
  constexpr std::size_t max_named = 3;
  std::string text;
  for (std::size_t i = 0; i < roots.size() && i < max_named; ++i) text += (i == 0 ? "" : ", ") + roots[i].path;
  if (roots.size() > max_named) text += " and " + std::to_string(roots.size() - max_named) + " more";
  return text.empty() ? "nothing" : text;
}

bool resolve_roots(const SandboxPolicy& policy, Roots& roots, std::string& error, KnownRoots* known) {
  roots = {};
  const auto add = [&](const std::string& name, const char* key, std::vector<Root>& resolved) {
    Root& root = resolved.emplace_back();
    if (!resolve(name, key, root, error)) return false;
    const std::string change = known == nullptr ? std::string() : known->check(name, root, policy);
    if (!change.empty()) error = std::string(key) + " names " + name + ", which " + change;
    return change.empty();
  };
  for (const std::string& name : policy.write) {
    if (!add(name, "sandbox.write", roots.write)) return false;
  }
  for (const std::string& name : policy.read) {
    if (!add(name, "sandbox.read", roots.read)) return false;
  }
  const auto check = [&](const std::vector<std::string>& names, const std::vector<Root>& resolved) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = 0; j < policy.write.size(); ++j) {
        const bool inside =
            is_within(lexical(names[i]), lexical(policy.write[j])) || is_within(lexical(names[i]), roots.write[j].path);
        if (!inside || is_within(resolved[i].path, roots.write[j].path)) continue;
        error = "the sandbox's root " + names[i] + " is below the write root " + policy.write[j] +
                ", but a symbolic link there leads to " + resolved[i].path;
        return false;
      }
    }
    return true;
  };
  return check(policy.write, roots.write) && check(policy.read, roots.read);
}

bool resolve_held(const HeldFiles& held, Roots& roots, std::string& error) {
  roots = {};
  const std::pair<const std::vector<std::string>*, std::vector<Root>*> lists[] = {
      {&held.read, &roots.read}, {&held.list, &roots.list}, {&held.write, &roots.write}};
  for (const auto& [names, resolved] : lists) {
    for (const std::string& name : *names) {
      Root root;
      std::string gone;
      if (!resolve(name, "files", root, gone)) continue;
      if (root.path != name) {
        error = name + ", a file of this call, has become a link to " + root.path;
        return false;
      }
      resolved->push_back(std::move(root));
    }
  }
  return true;
}

Descriptor open_root(const Root& root) {
  Descriptor place(open_resolving(AT_FDCWD, root.path.c_str(), O_PATH, RESOLVE_NO_SYMLINKS));
  struct stat status {};
  if (!place || ::fstat(place.get(), &status) != 0) return {};
  if (status.st_dev == root.device && status.st_ino == root.inode) return place;
  errno = ESTALE;
  return {};
}

bool is_unchanged(const Root& root) {
  struct stat status {};
  return ::lstat(root.path.c_str(), &status) == 0 && status.st_dev == root.device && status.st_ino == root.inode;
}

}  // namespace wtool::engine
