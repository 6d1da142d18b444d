#include "cache/patterns.h"

#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "base/paths.h"

namespace wtool::host::cache {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_folders_within = 200;

using Names = std::vector<std::string>;

Names names_in(std::string_view path) {
  Names names;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (!name.empty() && name != ".") names.emplace_back(name);
    at = end + 1;
  }
  return names;
}

// Several `**` in a row mean the same as one, and would only multiply the work.
Names pattern_names(std::string_view pattern) {
  Names names = names_in(pattern);
  const auto both_any = [](const std::string& one, const std::string& next) { return one == "**" && next == "**"; };
  names.erase(std::unique(names.begin(), names.end(), both_any), names.end());
  return names;
}

bool is_wild(std::string_view name) { return name.find_first_of("*?[") != std::string_view::npos; }

bool fits(const std::string& pattern, const std::string& name) {
  // A file's name may itself contain wildcard characters. A pattern with exactly this name then matches this file.
  return pattern == name || ::fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

// Whether a name may match both. Two names with wildcards are compared only by their ends.
bool may_fit_both(const std::string& one, const std::string& other) {
  if (!is_wild(other)) return fits(one, other);
  if (!is_wild(one)) return fits(other, one);
  const auto is_same_end = [](std::string_view a, std::string_view b) {
    const std::size_t size = std::min(a.size(), b.size());
    return a.substr(a.size() - size) == b.substr(b.size() - size);
  };
  constexpr const char* special = "*?[]\\";
  const std::size_t head = std::min(one.find_first_of(special), other.find_first_of(special));
  if (one.compare(0, head, other, 0, head) != 0) return false;
  return is_same_end(std::string_view(one).substr(one.find_last_of(special) + 1),
                     std::string_view(other).substr(other.find_last_of(special) + 1));
}

bool matches_names(const Names& pattern, const Names& path) {
  // `rest[i]` says whether the pattern's names from `p` on match the path's names from `i` on. It is computed from the
  // end of the pattern to its beginning. Any names may follow a match in the path, because a folder that matches
  // includes everything below it. A pattern without names, such as `.`, names the folder itself.
  std::vector<bool> rest(path.size() + 1, true);
  rest[0] = path.empty() || pattern.empty();
  for (std::size_t p = pattern.size(); p-- > 0;) {
    const bool any = pattern[p] == "**";
    bool later = false;
    std::vector<bool> now(path.size() + 1);
    for (std::size_t at = path.size() + 1; at-- > 0;) {
      later = later || rest[at];
      now[at] = any ? later : at < path.size() && rest[at + 1] && fits(pattern[p], path[at]);
    }
    rest = std::move(now);
  }
  return rest[0];
}

class Search {
 public:
  Search(const std::string& directory, const std::vector<std::string>& without, PatternLinks links)
      : directory_(directory), links_(links), below_directory_(directory) {
    for (const std::string& pattern : without) without_.push_back(pattern_names(pattern));
  }

  void exclude(std::string_view pattern) { excluded_.push_back(pattern_names(pattern)); }

  // Adds the files that the pattern names. False: it names no file.
  bool add(const std::string& pattern) {
    const Names names = pattern_names(pattern);
    const std::size_t before = matched_;
    pattern_ = &names;
    visited_.clear();
    if (!pattern.empty()) walk(pattern.starts_with('/') ? "/" : "", 0, false);
    return matched_ > before;
  }

  std::set<std::string> paths;
  std::string problem;

 private:
  std::string absolute(const std::string& path) const {
    return path.starts_with('/') ? path : path.empty() ? directory_ : directory_ + "/" + path;
  }
  static std::string below(const std::string& path, const std::string& name) {
    return path.empty() || path.ends_with('/') ? path + name : path + "/" + name;
  }

  void fail(const std::string& path, const std::string& why) {
    if (problem.empty()) problem = (path.empty() ? directory_ : path) + " " + why;
  }

  void walk(const std::string& path, std::size_t at, bool wild) {
    if (!problem.empty()) return;
    if (at == pattern_->size()) return take(path, wild);
    const std::string& name = (*pattern_)[at];
    if (name == "**") {
      // A pattern with several `**` may reach the same folder in many ways.
      if (!visited_.emplace(path, at).second) return;
      walk(path, at + 1, true);
      return each(path, [&](const std::string& entry, bool is_folder) {
        // A `**` at the end of the pattern also matches the files in this folder.
        if (is_folder) {
          walk(below(path, entry), at, true);
        } else if (at + 1 == pattern_->size()) {
          take(below(path, entry), true);
        }
      });
    }
    if (!is_wild(name)) return walk(below(path, name), at + 1, wild);
    each(path, [&](const std::string& entry, bool is_folder) {
      if (!fits(name, entry) || (!is_folder && at + 1 < pattern_->size())) return;
      walk(below(path, entry), at + 1, true);
    });
  }

  // If links are followed, this is stat(). If not, it is lstat(), and a path that goes through a link does not exist. If
  // the file system does not say whether a file exists, the search fails: without the file, a step could seem to be up
  // to date.
  bool look_at(const std::string& path, struct stat& status) {
    const auto exists = [&](const std::string& part) {
      const std::string file = absolute(part);
      if ((links_ == PatternLinks::followed ? ::stat : ::lstat)(file.c_str(), &status) == 0) return true;
      if (!means_no_file(errno)) {
        fail(part, std::string("cannot be read: ") + ::strerror(errno));
      }
      return false;
    };
    if (links_ == PatternLinks::followed) return exists(path);
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
      if (!exists(path.substr(0, slash)) || !S_ISDIR(status.st_mode)) return false;
    }
    return exists(path);
  }

  void take(const std::string& path, bool wild) {
    struct stat status {};
    if (!look_at(path, status)) {
      if (links_ == PatternLinks::not_followed) return;
      // A dangling link is kept, because its target may appear later.
      if (::lstat(absolute(path).c_str(), &status) == 0) keep(path, wild);
      return;
    }
    if (!S_ISDIR(status.st_mode)) return keep(path, wild);
    // If the pattern ends with `**`, walk() itself finds the files of this folder.
    if (!pattern_->empty() && pattern_->back() == "**") return;
    all_below(path);
  }

  void all_below(const std::string& path) {
    each(path, [&](const std::string& entry, bool is_folder) {
      is_folder ? all_below(below(path, entry)) : keep(below(path, entry), true);
    });
  }

  bool is_without(const std::string& path) {
    if (without_.empty()) return false;
    const Names names = names_in(below_directory_(path));
    return std::any_of(without_.begin(), without_.end(),
                       [&](const Names& pattern) { return matches_names(pattern, names); });
  }

  void keep(const std::string& path, bool wild) {
    if (!excluded_.empty() || (wild && !without_.empty())) {
      const Names names = names_in(path);
      const auto named = [&](const Names& pattern) { return matches_names(pattern, names); };
      if (std::any_of(excluded_.begin(), excluded_.end(), named)) return;
      if (wild && is_without(path)) return;
    }
    ++matched_;
    paths.insert(path);
    if (paths.size() > max_files) fail(path, "is beyond the limit of " + std::to_string(max_files) + " files");
  }

  template <class Function>
  void each(const std::string& path, const Function& function) {
    struct stat here {};
    const std::string folder = absolute(path);
    if (!problem.empty() || !look_at(path.empty() ? "." : path, here) || !S_ISDIR(here.st_mode)) return;
    const auto id = std::pair(here.st_dev, here.st_ino);
    if (std::find(around_.begin(), around_.end(), id) != around_.end())
      return fail(path, "is a link to a folder that contains it");
    if (around_.size() == max_folders_within) return fail(path, "is nested in too many folders");
    around_.push_back(id);
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
      const std::string name = entry->path().filename().string();
      std::error_code gone;
      const bool is_folder = links_ == PatternLinks::followed
                                 ? entry->is_directory(gone)
                                 : entry->symlink_status(gone).type() == fs::file_type::directory;
      if (is_folder ? name == ".git" || name == ".wtool" : name.starts_with(unfinished_prefix)) continue;
      function(name, is_folder);
      if (!problem.empty()) break;
    }
    if (failed) fail(path, "cannot be read: " + failed.message());
    around_.pop_back();
  }

  const std::string& directory_;
  const PatternLinks links_;
  PathsBelow below_directory_;
  std::vector<Names> without_;
  std::vector<Names> excluded_;
  const Names* pattern_ = nullptr;
  std::set<std::pair<std::string, std::size_t>> visited_;  // each `**` that was tried: folder, and place in the pattern
  std::vector<std::pair<dev_t, ino_t>> around_;  // the folders that are being read, each inside the one before
  std::size_t matched_ = 0;
};

}  // namespace

FoundFiles find_files(const std::string& directory, const std::vector<std::string>& patterns,
                      const std::vector<std::string>& without, PatternLinks links) {
  FoundFiles found;
  Search search(directory, without, links);
  for (const std::string& pattern : patterns) {
    if (pattern.starts_with('!')) search.exclude(std::string_view(pattern).substr(1));
  }
  for (const std::string& pattern : patterns) {
    if (!pattern.starts_with('!') && !search.add(pattern)) found.unmatched.push_back(pattern);
  }
  found.paths.assign(search.paths.begin(), search.paths.end());
  found.problem = std::move(search.problem);
  return found;
}

std::string link_above(const std::string& directory, const std::string& path, std::set<std::string>& checked) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    std::string folder = path.substr(0, slash);
    if (!checked.insert(folder).second) continue;
    struct stat status {};
    std::string file = directory;
    file.append("/").append(folder);
    if (::lstat(file.c_str(), &status) == 0 && S_ISLNK(status.st_mode)) return folder;
  }
  return {};
}

bool means_no_file(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG; }

bool matches(std::string_view pattern, std::string_view path) {
  return matches_names(pattern_names(pattern), names_in(path));
}

bool may_name_one_file(std::string_view one, std::string_view other) {
  const Names names = pattern_names(one), others = pattern_names(other);
  // `rest[i]` says whether the names from `at` on and the others from `i` on may match one file. If a pattern is at its
  // end, it matches everything below.
  std::vector<bool> rest(others.size() + 1, true);
  for (std::size_t at = names.size(); at-- > 0;) {
    std::vector<bool> now(others.size() + 1, true);
    for (std::size_t i = others.size(); i-- > 0;) {
      if (names[at] == "**" || others[i] == "**") {
        now[i] = rest[i] || now[i + 1] || rest[i + 1];
      } else {
        now[i] = rest[i + 1] && may_fit_both(names[at], others[i]);
      }
    }
    rest = std::move(now);
  }
  return rest[0];
}

std::string shared_output(const Outputs& one, const Outputs& other) {
  for (const std::string& mine : one.patterns) {
    for (const std::string& its : other.patterns) {
      if (may_name_one_file(one.directory + "/" + mine, other.directory + "/" + its)) return mine;
    }
  }
  return {};
}

bool may_match_below(std::string_view pattern, std::string_view folder) {
  const Names names = pattern_names(pattern);
  const auto skip_any = [&](std::set<std::size_t>& places) {
    for (const std::size_t place : places) {
      if (place < names.size() && names[place] == "**") places.insert(place + 1);
    }
  };
  // The positions in the pattern that the next name may match.
  std::set<std::size_t> places{0};
  skip_any(places);
  for (const std::string& name : names_in(folder)) {
    if (places.contains(names.size())) return true;
    std::set<std::size_t> next;
    for (const std::size_t place : places) {
      if (names[place] == "**") {
        next.insert(place);
      } else if (fits(names[place], name)) {
        next.insert(place + 1);
      }
    }
    skip_any(next);
    places = std::move(next);
  }
  return !places.empty();
}

std::string folder_of(std::string_view pattern) {
  std::string folder = pattern.starts_with('/') ? "/" : "";
  const Names names = names_in(pattern);
  for (std::size_t i = 0; i + 1 < names.size() && !is_wild(names[i]); ++i) {
    if (i > 0) folder += '/';
    folder += names[i];
  }
  return folder;
}

std::string plain_path(std::string_view path) {
  std::string plain = path.starts_with('/') ? "/" : "";
  for (const std::string& name : names_in(path)) plain += (plain.empty() || plain == "/" ? "" : "/") + name;
  return plain;
}

std::string PathsBelow::operator()(const std::string& path) {
  const Names names = names_in(path);
  if (names.empty() || (!path.starts_with('/') && std::find(names.begin(), names.end(), "..") == names.end())) {
    return plain_path(path);
  }
  const auto real = [](const std::string& folder) {
    std::error_code failed;
    const fs::path made = fs::canonical(folder, failed);
    return failed ? folder : made.string();
  };
  if (!real_directory_) real_directory_ = real(directory_);
  const fs::path whole = path.starts_with('/') ? fs::path(path) : fs::path(directory_) / path;
  const std::string folder = whole.parent_path().string();
  auto found = real_folders_.find(folder);
  if (found == real_folders_.end()) found = real_folders_.emplace(folder, real(folder)).first;
  const std::string file = (fs::path(found->second) / whole.filename()).string();
  return is_within(file, *real_directory_) ? fs::path(file).lexically_relative(*real_directory_).string()
                                           : plain_path(path);
}

std::string output_problem(std::string_view pattern) {
  if (pattern.starts_with('/')) return "is an absolute path";
  if (pattern.starts_with('!')) return "excludes files, but only inputs may do that";
  const Names names = names_in(pattern);
  if (names.empty()) return "names no file";
  if (std::find(names.begin(), names.end(), "..") != names.end())
    return "contains \"..\", which could lead out of the step's directory";
  return "";
}

}  // namespace wtool::host::cache
