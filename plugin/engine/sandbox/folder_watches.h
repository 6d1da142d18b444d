// Tells which folders have changed, by inotify: asking the kernel about each of 50,000 folders before and after every
// command would cost more than most commands.
//
// - A watch ends with the first change that it tells of. So a program that changes much costs one event a folder.
// - Watches are only taken in file systems whose changes this kernel always sees, and an eighth at most of what the user
//   may have: editors need them too. A folder without a watch has to be looked at.
//
// One thread at a time.
#pragma once

#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/descriptor.h"

namespace wtool::engine {

class FolderWatches {
 public:
  // What is watched. It must be forgotten before it is destroyed or moved.
  class Watched {
   public:
    // False: it has changed since it was watched, or nothing is known.
    bool unchanged() const { return watch_ >= 0; }

   private:
    friend class FolderWatches;
    int watch_ = -1;
  };

  FolderWatches();
  explicit FolderWatches(std::size_t most) : most_(most) {}

  // Watches an open folder. What is read of the folder after this call is what it is said not to differ from. Without a
  // watch to be had, `watched` stays as it was without one.
  void watch(int folder, Watched& watched);
  void forget(Watched& watched);

  // Takes in what the kernel has reported since the last time.
  void hear();

  // Whether the folder's file system tells this kernel of every change: not a network's, and not FUSE's.
  static bool can_watch(int folder);

 private:
  void forget_all();

  const std::size_t most_;
  bool open_ = false;  // The first watch has been asked for.
  Descriptor events_;
  std::unordered_map<int, std::vector<Watched*>> watches_;  // Two paths may lead to one folder.
};

}  // namespace wtool::engine
