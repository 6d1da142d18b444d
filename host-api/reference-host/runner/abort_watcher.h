// Watches for the file `.swissarmyhammer/.abort` below a directory, and requests a graceful stop when it appears.
//
// - A file that already exists is ignored until it is written again or replaced.
// - The file's text (at most 4 KiB, cleaned) is the reason for the stop.
// - The watcher uses inotify, on a thread of its own. The folder `.swissarmyhammer` may be made, removed and made
//   again.
// - Watches are made only for a run that lasts longer than 100 ms. To close an inotify descriptor that has watches, the
//   kernel waits up to 15 ms, which is more than a short run takes. A file that appears earlier stops the run then.
#pragma once

#include <array>
#include <map>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "base/stop.h"
#include "base/wake_up.h"

namespace wtool::host::runner {

class AbortWatcher {
 public:
  // Watches from the moment when the constructor returns. `stop` must outlive the watcher.
  AbortWatcher(std::string directory, Stop& stop);
  AbortWatcher(const AbortWatcher&) = delete;
  AbortWatcher& operator=(const AbortWatcher&) = delete;
  ~AbortWatcher();

  // Why the file is not watched (no inotify instance was left, say); empty: it is watched. If the kernel refuses a watch
  // later, the watcher looks for the file every 100 ms.
  const std::string& error() const { return error_; }

 private:
  // Identifies a version of the file.
  struct Version {
    bool there = false;
    std::array<std::uint64_t, 7> mark{};
    bool operator==(const Version&) const = default;
  };

  void watch();
  void begin();
  void drain_events();
  void watch_folder();
  // Call it when the file may be new.
  void look_again();
  Version version() const;
  void trigger();

  std::string directory_;
  std::string folder_;
  std::string file_;
  Stop& stop_;
  std::string error_;
  Descriptor inotify_;
  const WakeUp end_;  // ends the thread
  int directory_watch_ = -1;
  int folder_watch_ = -1;
  Version before_;
  bool settling_ = false;  // the file exists, but its writer may not be done
  bool triggered_ = false;
  std::thread thread_;
};

}  // namespace wtool::host::runner
