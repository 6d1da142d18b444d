#include "engine/sandbox/folder_watches.h"

#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

namespace wtool::engine {

namespace {

// The kernel's default, used if its limit cannot be read.
constexpr std::size_t default_most = 8192;

std::size_t share_of_user() {
  std::size_t most = default_most;
  std::ifstream("/proc/sys/fs/inotify/max_user_watches") >> most;
  return most / 8;
}

}  // namespace

FolderWatches::FolderWatches() : FolderWatches(share_of_user()) {}

void FolderWatches::watch(int folder, Watched& watched) {
  forget(watched);
  if (!std::exchange(open_, true)) events_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events_ || watches_.size() >= max_folders_) return;
  constexpr std::uint32_t changes = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF |
                                    IN_MOVE_SELF | IN_ONLYDIR | IN_ONESHOT;
  const std::string path = "/proc/self/fd/" + std::to_string(folder);
  const int number = ::inotify_add_watch(events_.get(), path.c_str(), changes);
  if (number < 0) return;
  watches_[number].push_back(&watched);
  watched.watch_ = number;
}

void FolderWatches::forget(Watched& watched) {
  const int number = std::exchange(watched.watch_, -1);
  const auto found = watches_.find(number);
  if (number < 0 || found == watches_.end()) return;
  std::erase(found->second, &watched);
  if (!found->second.empty()) return;
  watches_.erase(found);
  ::inotify_rm_watch(events_.get(), number);
}

void FolderWatches::forget_all() {
  for (auto& [number, owners] : watches_) {
    for (Watched* const owner : owners) owner->end();
  }
  watches_.clear();
  events_.reset();
  open_ = false;
}

void FolderWatches::hear() {
  alignas(inotify_event) std::array<char, 64 * 1024> buffer;
  while (events_) {
    const ssize_t size = ::read(events_.get(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;
    if (size <= 0) return forget_all();
    for (std::size_t at = 0; at < static_cast<std::size_t>(size);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) return forget_all();
      const auto found = watches_.find(event.wd);
      if (found == watches_.end()) continue;
      for (Watched* const owner : found->second) owner->end();
      watches_.erase(found);
    }
  }
}

bool FolderWatches::can_watch(int folder) {
  struct statfs system {};
  if (::fstatfs(folder, &system) != 0) return false;
  constexpr std::array<std::uint32_t, 6> local{EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC,  BTRFS_SUPER_MAGIC,
                                               TMPFS_MAGIC,      F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC};
  return std::find(local.begin(), local.end(), static_cast<std::uint32_t>(system.f_type)) != local.end();
}

}  // namespace wtool::engine
