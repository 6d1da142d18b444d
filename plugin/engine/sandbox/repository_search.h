// Finds git repositories inside write roots, only by file names: git is not run and no link is followed.
//
// - It finds a `.git` of any kind, and other folders that git accepts as a repository (HEAD with objects and refs, or
//   HEAD with commondir), such as bare repositories and those of submodules and worktrees. It also finds symbolic links in
//   the folders of repositories that it lists.
// - It remembers folders between searches, and does not list a folder again if its change time, which programs cannot
//   set, is the same. From the third search on, the kernel reports which folders change (folder_watches.h), and only
//   folders without a watch are checked. As long as it reports no change, a search of a root takes as long for 100,000
//   watched folders as for one.
// - A search is bounded in time; in each root, also in the number of folders that it lists, and in the number that it
//   remembers, which bounds its memory. `left_out` says what it skipped. It ends immediately when its caller gives up.
//
// What is mounted inside a write root is not searched, nor are folders that the host's user may not read. Unreadable
// folders that the user owns are listed in `closed`. They must be protected, because a command could make them
// accessible.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/sandbox/roots.h"

namespace wtool::engine {

class FolderWatches;

struct FoundRepository {
  enum class Kind {
    folder,  // a folder .git
    file,    // a file .git, which names the repository: of a worktree or of a submodule
    link,    // a symbolic link .git
    bare,    // a repository whose folder is not called .git
    inner,  // no repository, but a symbolic link in a folder of one, which git may follow when it writes or removes files
  };
  std::string path;  // of the .git, or of the bare repository
  Kind kind = Kind::folder;
  // An inode number may be reused for another file; the time of birth, if the file system knows it, tells the two
  // apart.
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t born_ns = 0;

  friend bool operator==(const FoundRepository&, const FoundRepository&) = default;
};

struct Repositories {
  std::map<std::string, FoundRepository> found;  // by path
  std::vector<std::string> left_out;             // sentences: what was not searched, and why
  std::vector<std::string> closed;               // folders below a root; this user owns them, but may not read them
};

// True if the repository is still at its path, whether git would take it for one or not.
bool is_still_there(const FoundRepository& repository);

// Why a closed folder that cannot be protected is left out, as a sentence.
std::string closed_text(const std::string& folder);

// Only one thread at a time may use an object.
class RepositorySearch {
 public:
  // For each root: how many folders one search may list, and how many there may be. In all roots together: how many folders
  // may be watched; absent: as many as FolderWatches allows by itself.
  explicit RepositorySearch(std::size_t max_listed = 100'000, std::size_t max_folders = 500'000,
                            std::optional<std::size_t> max_watched = {});
  ~RepositorySearch();
  RepositorySearch(const RepositorySearch&) = delete;
  RepositorySearch& operator=(const RepositorySearch&) = delete;

  // `given_up` is called often; once it returns true, the results are not used.
  using GivenUp = std::function<bool()>;
  Repositories look(const std::vector<Root>& roots, std::chrono::milliseconds limit, const GivenUp& given_up = {});

 private:
  struct Folder;
  struct Pass;
  struct Tree;
  void look(const Root& root, Pass& pass);
  void search(int root, Tree& tree, Pass& pass);

  const std::size_t max_listed_;
  const std::size_t max_folders_;
  std::size_t looks_ = 0;
  const std::unique_ptr<FolderWatches> watches_;  // The folders refer to it.
  std::map<std::string, std::unique_ptr<Tree>> roots_;
};

}  // namespace wtool::engine
