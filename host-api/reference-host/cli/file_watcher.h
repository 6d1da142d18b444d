// Finds out with inotify which files below a folder have changed.
//
// - It watches the paths that match a pattern: `*` and `?` match characters of one name, `**` matches any number of
//   folders. `.git` and `.wtool` are never watched, and links to folders are not followed.
// - The kernel queues changes until take() is called. If the queue overflowed, take() reports that anything may have
//   changed. New folders are searched when their event is taken, so that nothing in them is missed.
// - Of the attributes of a file, only whether it may be executed counts as a change, as for steps that are up to date.
#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/stop.h"

namespace wtool::host {

// Only one thread at a time may use an object of this class.
class FileWatcher {
 public:
  struct Wanted {
    std::vector<std::string> patterns;    // as in cache/patterns.h, relative to the folder
    std::vector<std::string> excluded{};  // patterns of files that are not watched
    std::string also;                     // one more file to watch, absolute; may be empty
    std::set<std::string> not_these;      // files that are not reported, absolute
  };
  // `folder` is absolute, without links. Watches from the moment when the constructor returns.
  FileWatcher(std::string folder, Wanted wanted);

  // Why not everything can be watched, and what to do; empty: everything is watched. take() may change it: the folder
  // may be gone.
  const std::string& error() const { return error_; }

  // The folders that were found since the last call and that this user may not read, relative to the watched folder:
  // changes in them are not noticed. If a pattern needs such a folder, error() says so instead.
  std::set<std::string> take_unreadable() { return std::exchange(unreadable_, {}); }

  // The patterns that matched nothing when the watch began.
  const std::set<std::string>& unmatched() const { return unmatched_; }

  // The paths of what has changed since the last call, relative to the folder if they are below it.
  std::set<std::string> take();

  // Waits for at most `most`; negative: without a limit. True: something may have changed. False: nothing has changed,
  // or a stop is requested.
  bool wait(std::chrono::milliseconds most, Stop& stop);

 private:
  enum class Seen { known, is_new };
  void add_folder(const std::string& path, Seen seen);
  void forget_below(const std::string& path);
  void watch_removal_of(const std::string& folder);
  // This folder is no longer at its path. If nothing can be watched without it, sets error_.
  void lost(const std::string& folder);
  // Whether a change of this path is reported.
  bool is_wanted(const std::string& path) const;
  void changed(const std::string& path);
  // Remembers whether the file may be executed, if its changes are reported. True: it differs from what was remembered.
  bool note_executable(const std::string& path);
  bool may_contain(const std::string& path) const;
  // Whether it is useless to watch without this folder: it is the watched folder, the folder of `also`, or a folder on
  // the way to what a pattern names before its first wildcard.
  bool must_be_readable(const std::string& path) const;
  // The path relative to the folder; empty for the folder itself, and for a path that is not below it.
  std::string below(const std::string& path) const;

  const std::string folder_;
  const Wanted wanted_;
  std::string also_folder_;
  Descriptor inotify_;
  std::map<int, std::string> folders_;  // by the inotify number of the watch
  std::set<std::string> changed_;
  std::set<std::string> executable_;  // the files that may be executed, of those whose changes are reported
  std::set<std::string> unreadable_;
  std::set<std::string> unmatched_;
  std::string error_;
};

}  // namespace wtool::host
