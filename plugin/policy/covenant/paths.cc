#include "policy/covenant/paths.h"

#include <strings.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/paths.h"
#include "policy/directories.h"
#include "policy/programs/reader.h"
#include "policy/startup_names.h"

namespace wtool::policy::covenant {

namespace {

namespace fs = std::filesystem;

using programs::any_listed;

// With these files, a call could approve its own commands, or have them executed without a question. A name is
// protected in any folder, and even in capitals, because some file systems ignore case.
constexpr std::string_view kept_names = ".git .clada .wtool wtool.yaml tools-allow.json";

// In addition to `startup_names`: folders that have many such files, and files that a project's own tools execute.
constexpr std::string_view more_startup_names = ".config .cargo .gitattributes .husky .pre-commit-config.yaml";

// Larger trees are not checked entry by entry.
constexpr int max_entries = 10'000;

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::strncasecmp(a.data(), b.data(), a.size()) == 0;
}

// True if one of the names is in the path. A name with slashes is several parts of the path that follow each other.
bool has_name(std::string_view path, std::string_view names) {
  std::vector<std::string_view> parts = programs::parts_of(path, '/');
  std::erase(parts, ".");
  return any_listed(names, [&](std::string_view name) {
    const std::string_view first = name.substr(0, name.find('/'));
    if (std::none_of(parts.begin(), parts.end(), [&](std::string_view part) { return same_name(part, first); })) {
      return false;
    }
    const std::vector<std::string_view> wanted = programs::parts_of(name, '/');
    return std::search(parts.begin(), parts.end(), wanted.begin(), wanted.end(), same_name) != parts.end();
  });
}

std::string_view without_last_slashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

std::string_view last_part(std::string_view path) {
  path = without_last_slashes(path);
  return path.substr(path.rfind('/') + 1);
}

bool is_relative_link(const std::string& path) {
  std::error_code error;
  const fs::path to = fs::read_symlink(path, error);
  return !error && to.is_relative();
}

enum class Ruling { fine, ask, invalid };

class PathJudge {
 public:
  PathJudge(const std::string& directory, const std::string& root, const std::vector<std::string>& kept)
      : directory_(directory), root_(root), kept_(kept) {
    for (const std::string_view name : programs::parts_of(kept_names)) kept_.push_back(resolve_path(root, name));
  }

  Ruling operator()(const NamedPath& path, const NamedPath& first) const {
    if (path.text.empty() || !is_within(resolve_path(directory_, path.text), root_)) return Ruling::invalid;
    switch (path.use) {
      case Use::read:
        return Ruling::fine;
      case Use::read_tree:
        return last_part(path.text) == ".." ? Ruling::invalid : Ruling::fine;
      case Use::written:
        return written(path.text);
      case Use::removed:
        return removed(path.text);
      case Use::target:
        return target(path.text, first);
    }
    return Ruling::invalid;
  }

 private:
  // The part of a path below the root, by its text alone; the whole path if it is not below the root.
  std::string_view below(std::string_view path) const {
    if (!is_within(path, root_)) return path;
    path.remove_prefix(root_ == "/" ? 0 : root_.size());
    return path;
  }

  Ruling by_names(std::string_view path) const {
    if (has_name(path, kept_names)) return Ruling::invalid;
    return has_name(path, startup_names) || has_name(path, more_startup_names) ? Ruling::ask : Ruling::fine;
  }

  // Judges a real path. A check of its names is not enough: the project's kept files may be links to other places, and
  // a repository may have a name other than `.git` (a bare repository, or one that a file `.git` names).
  Ruling by_place(std::string real) const {
    if (is_within_any(real, kept_) || is_kept_file(real)) return Ruling::invalid;
    const Ruling ruling = by_names(below(real));
    for (; is_within(real, root_) && real.size() > 1; real.resize(real.rfind('/'))) {
      struct stat status {};
      if (::lstat((real + "/HEAD").c_str(), &status) == 0 && ::lstat((real + "/objects").c_str(), &status) == 0 &&
          ::lstat((real + "/refs").c_str(), &status) == 0) {
        return std::max(ruling, Ruling::ask);
      }
    }
    return ruling;
  }

  // True if `real` is a kept file under a different name: a hard link, or a name in a different case on a file system
  // that ignores case.
  bool is_kept_file(const std::string& real) const {
    struct stat status {};
    if (::lstat(real.c_str(), &status) != 0) return false;
    return std::any_of(kept_.begin(), kept_.end(), [&](const std::string& kept) {
      struct stat other {};
      return ::lstat(kept.c_str(), &other) == 0 && other.st_dev == status.st_dev && other.st_ino == status.st_ino;
    });
  }

  // True if a folder contains a kept file, which would be removed with it.
  bool holds_kept(const std::string& entry) const {
    return std::any_of(kept_.begin(), kept_.end(), [&](const std::string& kept) { return is_within(kept, entry); });
  }

  // `path` may be relative.
  Ruling written(const std::string& path) const {
    const std::string real = resolve_path(directory_, path);
    if (!is_within(real, root_)) return Ruling::invalid;
    // Both the given name and the real name are judged, because either may be protected.
    const Ruling ruling = std::max(by_names(below(path)), by_place(real));
    struct stat status {};
    // A file with several hard links has other names, and one of these may be protected.
    const bool shared = ::lstat(real.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink > 1;
    return shared ? std::max(ruling, Ruling::ask) : ruling;
  }

  // The real path of the name itself: links in the folders above it are resolved, but the name is not.
  std::string entry_of(const std::string& path) const {
    const std::string_view whole = without_last_slashes(path);
    const std::size_t slash = whole.rfind('/');
    const std::string_view folder = slash == std::string_view::npos ? "." : slash == 0 ? "/" : whole.substr(0, slash);
    return path_below(resolve_path(directory_, folder), last_part(path));
  }

  Ruling removed(const std::string& path) const {
    const std::string_view last = last_part(path);
    if (last == "." || last == "..") return Ruling::invalid;
    // rm and mv remove the name itself, not the target of a link.
    const std::string entry = entry_of(path);
    const std::string real = resolve_path(directory_, path);
    if (!is_within(entry, root_) || entry == root_ || real == root_ || holds_kept(entry)) return Ruling::invalid;
    return std::max({by_names(below(path)), by_place(entry), by_place(real)});
  }

  // Judges where cp and mv put `first`, and each entry below it.
  Ruling target(const std::string& path, const NamedPath& first) const {
    std::string final = resolve_path(directory_, path);
    std::error_code error;
    const std::string_view name = last_part(first.text);
    if (name != "." && fs::is_directory(final, error)) final = path_below(final, name);
    Ruling ruling = std::max(written(path), written(final));
    if (first.use == Use::read || ruling == Ruling::invalid) return ruling;
    // In its new place, a relative link has a different target.
    if (is_relative_link(entry_of(first.text))) ruling = Ruling::ask;

    const std::string source = resolve_path(directory_, first.text);
    if (first.use == Use::removed && is_within(root_, source)) return Ruling::invalid;
    struct stat status {};
    if (::lstat(source.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return ruling;
    fs::recursive_directory_iterator entries(source, error), end;
    for (int seen = 0; !error && entries != end; entries.increment(error)) {
      if (++seen > max_entries) return std::max(ruling, Ruling::ask);
      const std::string entry =
          entries->path().native().substr(std::min(source.size(), entries->path().native().size()));
      ruling = std::max({ruling, by_names(entry), written(final + entry)});
      if (ruling == Ruling::fine && is_relative_link(entries->path().native())) ruling = Ruling::ask;
      if (ruling == Ruling::invalid) return ruling;
    }
    // Entries that cannot be read cannot be checked.
    return error ? std::max(ruling, Ruling::ask) : ruling;
  }

  const std::string& directory_;
  const std::string& root_;
  std::vector<std::string> kept_;
};

}  // namespace

PathFinding judge_paths(const std::vector<NamedPath>& paths, const std::string& directory, const std::string& root,
                        const std::vector<std::string>& kept) {
  PathFinding finding;
  const PathJudge judge(directory, root, kept);
  for (const NamedPath& path : paths) {
    const Ruling ruling = judge(path, paths.front());
    if (ruling == Ruling::ask) finding.ask = true;
    if (ruling != Ruling::invalid) continue;
    finding.invalid = path.text;
    return finding;
  }
  return finding;
}

}  // namespace wtool::policy::covenant
