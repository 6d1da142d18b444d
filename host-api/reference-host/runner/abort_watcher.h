// Watches for the file `.swissarmyhammer/.abort` below a directory, and requests a graceful stop when it appears.
//
// - A file that already exists is ignored until it is written again or replaced.
// - The file's text (at most 4 KiB, cleaned) is the reason for the stop.
// - The watcher uses inotify, on a thread of its own. The folder `.swissarmyhammer` may be made, removed and made
//   again.
// - Watches are made only for a run that lasts longer than 100 ms. To close an inotify descriptor that has watches, the
//   kernel waits up to 15 ms, which is more than a short run takes.
// - The run calls look() before each state, so that no state begins after a step that made the file, however soon.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
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

  // Requests the stop if the file has appeared. Any thread may call this.
  void look();

  // Why the file is not watched (no inotify instance was left, say); empty: it is watched. If the kernel refuses a
  // watch later, the watcher looks for the file every 100 ms.
  const std::string& error() const { return error_; }

 private:
  using Clock = std::chrono::steady_clock;
  // Identifies a version of the file. The time of change is left out, because a new link to the file or another mode
  // changes it, too.
  struct Version {
    bool there = false;
    std::array<std::uint64_t, 5> mark{};
    bool operator==(const Version&) const = default;
  };

  void watch();
  void begin();
  void drain_events();
  void watch_folder();
  // Call it when the file may be new.
  void look_again();
  // Gives the file's writer a moment to finish.
  void settle();
  // How long the thread waits for an event, in milliseconds; -1: without a limit.
  int patience() const;
  Version version() const;
  void trigger();
  void request();

  std::string directory_;
  std::string folder_;
  std::string file_;
  Stop& stop_;
  std::string error_;
  Descriptor inotify_;
  const WakeUp end_;  // ends the thread
  int directory_watch_ = -1;
  int folder_watch_ = -1;
  bool is_refused_ = false;  // the kernel has refused a watch, so the thread looks for the file
  Version before_;           // the version of the file when this object was made
  // Set if the file exists: until this time, its writer may still be writing.
  std::optional<Clock::time_point> settles_;
  std::atomic<bool> triggered_{false};
  std::thread thread_;
};

}  // namespace wtool::host::runner
