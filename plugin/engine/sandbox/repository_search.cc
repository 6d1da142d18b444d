#include "engine/sandbox/repository_search.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <deque>
#include <optional>
#include <string_view>

#include "base/descriptor.h"
#include "base/listing.h"
#include "base/open_resolving.h"
#include "base/paths.h"
#include "base/timespec.h"
#include "engine/sandbox/folder_watches.h"

namespace wtool::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t second_ns = 1'000'000'000;
// Two changes this close together may have the same time stamp. A folder listed so soon after a change is listed again.
constexpr std::int64_t settled_after_ns = second_ns / 10;
// A host that runs one command searches twice. Watches pay off only for hosts that run more commands.
constexpr std::size_t looks_without_watches = 2;
// How many entries or folders are read between two checks of the clock.
constexpr std::size_t between_clocks = 256;
// A search is limited by the processor time that it takes, so that it does not fail because the machine is busy. A disk
// may not answer, so the time that passes is limited too, to this many times the limit.
constexpr int patience = 4;

std::chrono::nanoseconds processor_time() {
  timespec used{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::nanoseconds(to_ns(used));
}

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return to_ns(now);
}

Descriptor open_below(int root, const char* path) {
  return Descriptor(open_resolving(root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK,
                                   RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH | RESOLVE_NO_XDEV));
}

// False if this user owns the folder, but may not list it or look at what is in it.
bool is_open(const struct stat& status) {
  constexpr mode_t needed = S_IRUSR | S_IXUSR;
  return ::geteuid() == 0 || status.st_uid != ::geteuid() || (status.st_mode & needed) == needed;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool is_folder(int folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status {};
  return ::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

bool identify(int folder, const char* name, FoundRepository& found) {
  struct statx status {};
  if (::statx(folder, name, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &status) != 0) {
    return false;
  }
  found.device = (dev_t{status.stx_dev_major} << 32) | status.stx_dev_minor;
  found.inode = status.stx_ino;
  found.born_ns = status.stx_btime.tv_sec * second_ns + status.stx_btime.tv_nsec;
  using Kind = FoundRepository::Kind;
  found.kind = S_ISDIR(status.stx_mode) ? Kind::folder : S_ISLNK(status.stx_mode) ? Kind::link : Kind::file;
  return true;
}

// What the names in a folder reveal about it.
struct Signs {
  bool dot_git = false, head = false, objects = false, refs = false, commondir = false;

  void note(std::string_view name) {
    dot_git = dot_git || name == ".git";
    head = head || name == "HEAD";
    objects = objects || name == "objects";
    refs = refs || name == "refs";
    commondir = commondir || name == "commondir";
  }
  bool repository() const { return head && (commondir || (objects && refs)); }
};

}  // namespace

// A folder, as it was when it was last listed.
struct RepositorySearch::Folder {
  Folder(std::string folder_path, bool top, bool within_git, FolderWatches& all_watches, std::uint64_t& tree_changes)
      : path(std::move(folder_path)),
        dot_git(!top && last_part(path) == ".git"),
        in_git(within_git),
        watches(all_watches),
        changes(tree_changes),
        watch(tree_changes) {}
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { watches.forget(watch); }

  bool is(const struct stat& status) const {
    return settled && device == status.st_dev && inode == status.st_ino && changed_ns == to_ns(status.st_ctim);
  }
  // The next search lists the folder again.
  void forget() {
    settled = false;
    watches.forget(watch);
    found.clear();
    folders.clear();
  }

  const std::string path;
  const bool dot_git;  // This folder is a .git, found in the folder above it.
  const bool in_git;   // This folder is below a .git, or a root that is one.
  FolderWatches& watches;
  std::uint64_t& changes;  // those that the watches of this tree have reported
  FolderWatches::Watched watch;
  bool settled = false;
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t changed_ns = 0;
  std::vector<FoundRepository> found;
  std::vector<std::unique_ptr<Folder>> folders;  // sorted by name
};

// What is known about a root.
struct RepositorySearch::Tree {
  // A root that is a .git is searched like one that was found in the folder above it.
  Tree(const std::string& path, FolderWatches& watches)
      : top(path, true, last_part(path) == ".git", watches, changes) {}

  // True if the last search saw all folders, and none has changed since then. The root's path may refer to a different
  // folder by now, which a watch would not report, so the root is examined through its descriptor.
  bool unchanged(int root) const {
    struct stat status {};
    return watched_until == changes && ::fstat(root, &status) == 0 && top.is(status);
  }

  std::uint64_t changes = 0;  // that the watches of its folders have reported
  Folder top;
  std::map<std::string, FoundRepository> found;  // by the last search
  // `changes` at the end of the last search, if it left nothing out and all folders below the root were watched.
  std::optional<std::uint64_t> watched_until;
};

// One search, over all roots.
struct RepositorySearch::Pass {
  enum class Listed { completely, partly };

  Pass(std::chrono::milliseconds time, std::size_t max, const GivenUp& asked)
      : limit(time),
        end(Clock::now() + patience * time),
        last_use(processor_time() + time),
        max_folders(max),
        given_up(asked) {}

  bool is_over() {
    if (counted++ % between_clocks != 0 || over) return over;
    over = processor_time() >= last_use || Clock::now() >= end || (given_up && given_up());
    return over;
  }
  bool has_room(std::size_t more) {
    full = full || met + more > max_folders;
    return !full;
  }

  void refresh(int root, const char* relative, Folder& folder);
  void list(int root, const char* relative, const struct stat& seen, Folder& folder);
  void keep_watch(int root, const char* relative, Folder& folder) const;
  Listed read(DIR* listing, Folder& folder);
  void leave_out(const std::string& path, const struct stat& seen, int error);

  Repositories result;
  const std::chrono::milliseconds limit;
  const Clock::time_point end;
  const std::chrono::nanoseconds last_use;  // of the processor by this thread
  const std::size_t max_folders;
  const GivenUp& given_up;
  std::size_t counted = 0;
  bool over = false;
  // Of the root that is being searched:
  bool watching = false;   // its folders are watched
  std::size_t listed = 0;  // folders that this search has listed
  std::size_t met = 0;     // folders that this search has listed, or knows from earlier ones
  bool full = false;       // there are more folders than a search remembers
};

void RepositorySearch::Pass::leave_out(const std::string& path, const struct stat& seen, int error) {
  // A folder that is gone, was replaced or is another mount is not reported, and neither is another user's folder that
  // commands cannot open either.
  if (error == ENOENT || error == ENOTDIR || error == ELOOP || error == EXDEV) return;
  if (error == EACCES && seen.st_uid != ::geteuid()) return;
  constexpr std::size_t max_sentences = 3;
  if (result.left_out.size() < max_sentences) {
    result.left_out.push_back(error == EACCES ? closed_text(path)
                                              : path + " cannot be searched for repositories: " + std::strerror(error));
  }
}

// Reads the entries of a folder. What is known about the folders in it from earlier searches is kept.
RepositorySearch::Pass::Listed RepositorySearch::Pass::read(DIR* listing, Folder& folder) {
  auto known = std::move(folder.folders);
  folder.folders.clear();
  Signs signs;
  struct Name {
    std::string text;
    ino_t inode;
  };
  std::vector<Name> names;
  std::vector<std::string> links;
  while (const dirent* const entry = ::readdir(listing)) {
    if (is_over() || !has_room(names.size())) return Listed::partly;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    signs.note(name);
    if (is_folder(::dirfd(listing), *entry)) names.push_back({std::string(name), entry->d_ino});
    if (entry->d_type == DT_LNK || entry->d_type == DT_UNKNOWN) links.emplace_back(name);
  }
  FoundRepository found;
  if (signs.dot_git && identify(::dirfd(listing), ".git", found)) {
    found.path = folder.path + "/.git";
    folder.found.push_back(found);
  }
  if (signs.repository() && !folder.dot_git && identify(::dirfd(listing), "", found)) {
    found.path = folder.path;
    found.kind = FoundRepository::Kind::bare;
    folder.found.push_back(found);
  }
  // A checkout inside a git folder has a .git, and may have links.
  if (folder.dot_git || (folder.in_git && !signs.dot_git) || signs.repository()) {
    for (const std::string& name : links) {
      if (!identify(::dirfd(listing), name.c_str(), found) || found.kind != FoundRepository::Kind::link) continue;
      found.path = path_below(folder.path, name);
      found.kind = FoundRepository::Kind::inner;
      folder.found.push_back(found);
    }
  }
  // In a repository's own folder, only `modules` and `worktrees` are searched: the folders of objects and references
  // are numerous and contain no checkout. A command could make `modules` itself look like a repository, so there,
  // everything is searched.
  const auto holds_repositories = [](std::string_view name) { return name == "modules" || name == "worktrees"; };
  const bool is_git = folder.dot_git || (folder.in_git && signs.repository());
  if (is_git && !holds_repositories(last_part(folder.path))) {
    std::erase_if(names, [&](const Name& name) { return !holds_repositories(name.text); });
  }
  std::sort(names.begin(), names.end(), [](const Name& one, const Name& other) { return one.text < other.text; });
  auto next = known.begin();
  for (const auto& [name, inode] : names) {
    while (next != known.end() && last_part((*next)->path) < name) ++next;
    const bool again = next != known.end() && last_part((*next)->path) == name;
    const std::string path = path_below(folder.path, name);
    const bool in_git = folder.in_git || folder.dot_git;
    folder.folders.push_back(again ? std::move(*next++)
                                   : std::make_unique<Folder>(path, false, in_git, folder.watches, folder.changes));
    // The watched folder may have been replaced.
    Folder& below = *folder.folders.back();
    if (below.inode != inode) below.watches.forget(below.watch);
  }
  return Listed::completely;
}

void RepositorySearch::Pass::list(int root, const char* relative, const struct stat& seen, Folder& folder) {
  folder.found.clear();
  folder.settled = false;
  folder.watches.forget(folder.watch);
  const bool is_root = relative == std::string_view(".");
  // A root cannot be bound read-only: commands must be able to write there.
  if (!is_open(seen) && !is_root) {
    folder.folders.clear();
    result.closed.push_back(folder.path);
    return;
  }
  Descriptor opened = open_below(root, relative);
  struct stat status {};
  if (!opened || ::fstat(opened.get(), &status) != 0) {
    folder.folders.clear();
    return leave_out(folder.path, seen, errno);
  }
  const int descriptor = opened.get();
  const Listing listing = list_folder(std::move(opened));
  if (!listing) return leave_out(folder.path, seen, errno);
  // In another file system, the same inode number means another folder.
  if (folder.device != status.st_dev) folder.folders.clear();
  // The folder is watched before it is read, so that a change between the two steps is not missed.
  if (watching && !is_root) folder.watches.watch(descriptor, folder.watch);
  const std::int64_t now = now_ns();
  ++listed;
  if (read(listing.get(), folder) == Listed::partly) return folder.watches.forget(folder.watch);
  folder.device = status.st_dev;
  folder.inode = status.st_ino;
  folder.changed_ns = to_ns(status.st_ctim);
  folder.settled = folder.changed_ns + settled_after_ns < now;
}

// Watches a folder that has not changed since it was listed.
void RepositorySearch::Pass::keep_watch(int root, const char* relative, Folder& folder) const {
  const Descriptor opened = open_below(root, relative);
  if (!opened) return;
  folder.watches.watch(opened.get(), folder.watch);
  struct stat status {};
  if (::fstat(opened.get(), &status) != 0 || !folder.is(status)) folder.watches.forget(folder.watch);
}

bool is_still_there(const FoundRepository& repository) {
  FoundRepository now;
  return identify(AT_FDCWD, repository.path.c_str(), now) && now.device == repository.device &&
         now.inode == repository.inode && now.born_ns == repository.born_ns;
}

std::string closed_text(const std::string& folder) {
  return folder + " cannot be searched for repositories: Permission denied (chmod u+rwx would allow the search)";
}

RepositorySearch::RepositorySearch(std::size_t max_listed, std::size_t max_folders,
                                   std::optional<std::size_t> max_watched)
    : max_listed_(max_listed),
      max_folders_(max_folders),
      watches_(max_watched ? std::make_unique<FolderWatches>(*max_watched) : std::make_unique<FolderWatches>()) {}
RepositorySearch::~RepositorySearch() = default;

// Brings what is known about a folder up to date.
void RepositorySearch::Pass::refresh(int root, const char* relative, Folder& folder) {
  const bool is_root = relative == std::string_view(".");
  struct stat status {};
  // A root is examined through its descriptor, which works even if nobody may search the root.
  if ((is_root ? ::fstat(root, &status) : ::fstatat(root, relative, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)) !=
      0) {
    const int error = errno;
    folder.forget();
    leave_out(folder.path, status, error);
  } else if (!folder.is(status)) {
    list(root, relative, status, folder);
  } else if (watching && !is_root) {
    keep_watch(root, relative, folder);
  }
}

// Searches one root. Folders near the root come first, so folders far from it are left out if a limit is reached. Each
// root has limits of its own: many folders in one of them leave the others as they are. A folder that is known and
// has not changed does not count as listed, so that each search gets further than the one before.
void RepositorySearch::look(const Root& root, Pass& pass) {
  const Descriptor place = open_root(root);
  std::unique_ptr<Tree>& tree = roots_[root.path];
  if (!tree) tree = std::make_unique<Tree>(root.path, *watches_);
  if (!tree->unchanged(place.get())) search(place.get(), *tree, pass);
  pass.result.found.insert(tree->found.begin(), tree->found.end());
}

void RepositorySearch::search(int root, Tree& tree, Pass& pass) {
  const std::string& path = tree.top.path;
  tree.found.clear();
  tree.watched_until.reset();
  pass.watching = looks_ > looks_without_watches && FolderWatches::can_watch(root);
  pass.listed = 0;
  pass.met = 1;
  pass.full = false;
  bool all_watched = pass.watching;
  std::deque<Folder*> waiting{&tree.top};
  while (!waiting.empty() && pass.listed < max_listed_ && pass.has_room(0) && !pass.is_over()) {
    Folder& folder = *waiting.front();
    waiting.pop_front();
    const char* relative = folder.path.c_str() + path.size();
    relative += *relative == '/' ? 1 : 0;
    if (*relative == '\0') {
      pass.refresh(root, ".", folder);
    } else {
      if (!folder.watch.unchanged()) pass.refresh(root, relative, folder);
      all_watched = all_watched && folder.watch.unchanged();
    }
    for (const FoundRepository& found : folder.found) tree.found.emplace(found.path, found);
    for (const auto& below : folder.folders) waiting.push_back(below.get());
    pass.met += folder.folders.size();
  }
  if (!pass.over && !pass.full && waiting.empty()) {
    if (all_watched) tree.watched_until = tree.changes;
    return;
  }
  std::string bound = "its time limit";
  if (pass.full) {
    bound = "its limit of " + std::to_string(max_folders_) + " folders";
    // Bounds the memory: folders below these may be remembered from earlier searches.
    for (Folder* const left : waiting) left->forget();
  } else if (!pass.over) {
    bound = "its limit of " + std::to_string(max_listed_) + " folders that are new or have changed";
  }
  pass.result.left_out.push_back("the search for repositories in " + path + " ended at " + bound +
                                 ", before it had seen all folders; remove folders there" +
                                 (pass.full ? "" : ", or call again, because a search remembers what it has seen"));
}

Repositories RepositorySearch::look(const std::vector<Root>& roots, std::chrono::milliseconds limit,
                                    const GivenUp& given_up) {
  std::erase_if(roots_, [&](const auto& known) {
    return std::none_of(roots.begin(), roots.end(), [&](const Root& root) { return root.path == known.first; });
  });
  ++looks_;
  watches_->hear();
  Pass pass(limit, max_folders_, given_up);
  for (const Root& root : roots) {
    if (root.folder) look(root, pass);
  }
  return std::move(pass.result);
}

}  // namespace wtool::engine
