// Uses inotify to find out which folders have changed, because asking the kernel about each of 50,000 folders before
// and after every command would cost more than most commands do.
//
// - A watch ends with the first change that it reports, so a program that makes many changes costs one event for each
//   folder.
// - Watches are used only in file systems whose changes this kernel always sees. Each object takes at most an eighth of
//   the watches that the user may have, since editors also need watches; several sandboxes or processes together may
//   take more. A folder without a watch is checked each time.
//
// Only one thread at a time may use an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/descriptor.h"

namespace wtool::engine {

class FolderWatches {
 public:
  // A folder that may be watched. Call forget() before this object is destroyed or moved.
  class Watched {
   public:
    Watched() = default;
    // Each change that is reported adds one to `changes`, which may count those of several folders.
    explicit Watched(std::uint64_t& changes) : changes_(&changes) {}

    // False: the folder has changed since it was watched, or is not watched.
    bool unchanged() const { return watch_ >= 0; }

   private:
    friend class FolderWatches;
    void end() {
      watch_ = -1;
      if (changes_ != nullptr) ++*changes_;
    }

    int watch_ = -1;
    std::uint64_t* changes_ = nullptr;
  };

  FolderWatches();
  explicit FolderWatches(std::size_t max_folders) : max_folders_(max_folders) {}

  // Watches an open folder. `unchanged()` then says whether the folder has changed since this call, so the caller reads
  // the folder after it. If no watch is available, `watched` stays without a watch.
  void watch(int folder, Watched& watched);
  void forget(Watched& watched);

  // Reads what the kernel has reported since the last call.
  void hear();

  // True if the folder's file system reports every change to this kernel. Network file systems and FUSE do not.
  static bool can_watch(int folder);

 private:
  void forget_all();

  const std::size_t max_folders_;
  bool open_ = false;  // The first watch has been asked for.
  Descriptor events_;
  std::unordered_map<int, std::vector<Watched*>> watches_;  // Two paths may lead to one folder.
};

}  // namespace wtool::engine
