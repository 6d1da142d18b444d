#include "cli/file_watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/paths.h"
#include "base/wake_up.h"
#include "cache/patterns.h"

namespace wtool::host {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t watched_events = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                         IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK;

// The folders of git and of wtool itself are never watched.
bool is_left_out(const std::string& relative) {
  const std::string name = fs::path(relative).filename().string();
  // A file that a step is putting back has such a name until it is whole.
  return name == ".git" || name == ".wtool" || name.starts_with(cache::unfinished_prefix);
}

// Whether a second event will come when the new file is closed. A new hard link to an existing file causes none.
bool will_be_closed(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1;
}

}  // namespace

FileWatcher::FileWatcher(std::string folder, Wanted wanted)
    : folder_(std::move(folder)),
      wanted_(std::move(wanted)),
      also_folder_(fs::path(wanted_.also).parent_path().string()),
      inotify_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
      unmatched_(wanted_.patterns.begin(), wanted_.patterns.end()) {
  if (!inotify_) {
    error_ = std::string("changes cannot be watched: ") + ::strerror(errno) +
             "; fs.inotify.max_user_instances may be too low";
    return;
  }
  add_folder(folder_, Seen::known);
  if (!also_folder_.empty()) add_folder(also_folder_, Seen::known);
  watch_removal_of(folder_);
  watch_removal_of(also_folder_);
}

// Only the folder above tells that a folder is removed: as long as a process works in it, it has no event of its own.
void FileWatcher::watch_removal_of(const std::string& folder) {
  const std::string above = fs::path(folder).parent_path().string();
  if (above.empty()) return;
  const int watch = ::inotify_add_watch(inotify_.get(), above.c_str(),
                                        IN_DELETE | IN_MOVED_FROM | IN_ONLYDIR | IN_DONT_FOLLOW | IN_MASK_ADD);
  if (watch >= 0) folders_.emplace(watch, above);  // else this user may not read it, and removal is not noticed
}

std::string FileWatcher::below(const std::string& path) const {
  return path.size() > folder_.size() && path.starts_with(folder_) && path[folder_.size()] == '/'
             ? path.substr(folder_.size() + 1)
             : std::string();
}

bool FileWatcher::may_contain(const std::string& path) const {
  if (path == folder_ || path == also_folder_) return true;
  const std::string relative = below(path);
  if (relative.empty() || is_left_out(relative)) return false;
  return std::any_of(wanted_.patterns.begin(), wanted_.patterns.end(),
                     [&](const std::string& pattern) { return cache::may_match_below(pattern, relative); });
}

bool FileWatcher::must_be_readable(const std::string& path) const {
  if (path == folder_ || path == also_folder_) return true;
  return std::any_of(wanted_.patterns.begin(), wanted_.patterns.end(), [&](const std::string& pattern) {
    fs::path named;
    for (const fs::path& part : fs::path(pattern).lexically_normal()) {
      if (part.string().find_first_of("*?[") != std::string::npos) break;
      named /= part;
    }
    return is_within((fs::path(folder_) / named).string(), path);
  });
}

void FileWatcher::add_folder(const std::string& path, Seen seen) {
  std::vector<std::string> todo{path};
  while (!todo.empty() && error_.empty()) {
    const std::string folder = std::move(todo.back());
    todo.pop_back();
    if (!may_contain(folder)) continue;
    // First watch, then look: what appears in between is reported twice, but never missed.
    const int watch = ::inotify_add_watch(inotify_.get(), folder.c_str(), watched_events);
    if (watch < 0) {
      if (errno == ENOENT || errno == ENOTDIR) {
        lost(folder);  // unless it is one of many
        continue;
      }
      if (errno == EACCES && !must_be_readable(folder)) {
        unreadable_.insert(below(folder));
        continue;
      }
      error_ = "the folder " + folder + " cannot be watched: " + ::strerror(errno) +
               (errno == ENOSPC ? "; raise fs.inotify.max_user_watches, or name fewer folders with --on" : "");
      return;
    }
    folders_[watch] = folder;
    if (folder != folder_ && below(folder).empty()) continue;
    std::error_code failed;
    for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
      const std::string name = entry->path().string();
      if (seen == Seen::is_new) {
        changed(name);
      } else {
        std::erase_if(unmatched_, [&](const std::string& pattern) { return cache::matches(pattern, below(name)); });
      }
      std::error_code ignored;
      if (entry->symlink_status(ignored).type() == fs::file_type::directory) {
        todo.push_back(name);
      } else {
        note_executable(name);
      }
    }
  }
}

void FileWatcher::forget_below(const std::string& path) {
  for (auto one = folders_.begin(); one != folders_.end();) {
    const bool is_gone = is_within(one->second, path);
    if (is_gone) ::inotify_rm_watch(inotify_.get(), one->first);
    if (is_gone) lost(one->second);
    one = is_gone ? folders_.erase(one) : std::next(one);
  }
  std::erase_if(executable_, [&](const std::string& file) { return is_within(file, path); });
}

void FileWatcher::lost(const std::string& folder) {
  if (!error_.empty() || (folder != folder_ && (folder != also_folder_ || !below(folder).empty()))) return;
  error_ =
      "the folder " + folder + " is watched, and has been deleted or moved; start the watch again where the files are";
}

bool FileWatcher::is_wanted(const std::string& path) const {
  if (wanted_.not_these.contains(path)) return false;
  if (path == wanted_.also) return true;
  const std::string relative = below(path);
  if (relative.empty() || is_left_out(relative)) return false;
  const auto matches = [&](const std::string& pattern) { return cache::matches(pattern, relative); };
  return std::any_of(wanted_.patterns.begin(), wanted_.patterns.end(), matches) &&
         std::none_of(wanted_.excluded.begin(), wanted_.excluded.end(), matches);
}

void FileWatcher::changed(const std::string& path) {
  if (!is_wanted(path)) return;
  const std::string relative = below(path);
  changed_.insert(relative.empty() ? path : relative);
}

bool FileWatcher::note_executable(const std::string& path) {
  if (!is_wanted(path)) return false;
  struct stat status {};
  const bool is_executable =
      ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & 0111U) != 0;
  return is_executable ? executable_.insert(path).second : executable_.erase(path) > 0;
}

std::set<std::string> FileWatcher::take() {
  alignas(inotify_event) char buffer[65536];
  while (true) {
    const ssize_t size = ::read(inotify_.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    for (const char* at = buffer; at < buffer + size;) {
      inotify_event event{};
      ::memcpy(&event, at, sizeof event);
      const std::string name = event.len > 0 ? at + sizeof event : "";
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        // Events about new folders may be among those that were lost.
        add_folder(folder_, Seen::known);
        changed_.insert("anything");
        continue;
      }
      const auto found = folders_.find(event.wd);
      if (found == folders_.end()) continue;
      if ((event.mask & (IN_IGNORED | IN_MOVE_SELF)) != 0) {
        lost(found->second);
        if ((event.mask & IN_IGNORED) != 0) folders_.erase(found);
        continue;
      }
      if (name.empty()) continue;
      const std::string path = path_below(found->second, name);
      const bool is_folder = (event.mask & IN_ISDIR) != 0;
      if (is_folder && (event.mask & (IN_MOVED_FROM | IN_DELETE)) != 0) forget_below(path);
      const bool was_other = !is_folder && note_executable(path);
      // Most events about attributes are about times, links or owners.
      if ((event.mask & IN_ATTRIB) != 0 && !was_other) continue;
      if (!is_folder && (event.mask & IN_CREATE) != 0 && will_be_closed(path)) continue;
      changed(path);
      if (is_folder && (event.mask & (IN_CREATE | IN_MOVED_TO)) != 0) add_folder(path, Seen::is_new);
    }
  }
  return std::exchange(changed_, {});
}

bool FileWatcher::wait(std::chrono::milliseconds most, Stop& stop) {
  const WakeUp woken;
  const Stop::Subscription listening = stop.subscribe([&woken](const StopRequest&) { woken.signal(); });
  pollfd waits[] = {{inotify_.get(), POLLIN, 0}, {woken.descriptor(), POLLIN, 0}};
  while (!stop.requested()) {
    const int ready = ::poll(waits, 2, most.count() < 0 ? -1 : static_cast<int>(most.count()));
    if (ready < 0 && errno == EINTR) continue;
    return ready > 0 && waits[0].revents != 0 && !stop.requested();
  }
  return false;
}

}  // namespace wtool::host
