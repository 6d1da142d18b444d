#include "runner/abort_watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/files.h"
#include "base/utf8.h"
#include "workflow/model/source.h"

namespace wtool::host::runner {
namespace {

constexpr const char* folder_name = ".swissarmyhammer";
constexpr const char* abort_file_name = ".abort";
constexpr std::size_t max_reason = 4096;  // bytes
// How long a writer that has created the file may take to write its text and close it.
constexpr int settle_ms = 50;
constexpr int unwatched_ms = 100;

// Joins the text into one line without control characters. Each byte that is not part of valid UTF-8 becomes '?'.
std::string cleaned(std::string text) {
  for (std::size_t bad; (bad = valid_utf8_prefix(text)) < text.size();) {
    // The limit may have cut the last character.
    if (text.size() - bad < 4 && text.size() + 4 > max_reason) {
      text.resize(bad);
    } else {
      text[bad] = '?';
    }
  }
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return std::string(workflow::trim(text));
}

// Links are not followed, because a command in a sandbox could make a link to a file that it may not read.
std::string read_reason(const std::string& path) {
  std::string ignored;
  const Descriptor file = open_without_links(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, ignored);
  std::string text;
  if (file) {
    struct stat status {};
    if (::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode)) {
      text.resize(max_reason);
      const ssize_t count = ::pread(file.get(), text.data(), text.size(), 0);
      text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
  }
  text = cleaned(std::move(text));
  return text.empty() ? std::string("the file ") + folder_name + "/" + abort_file_name + " appeared" : text;
}

}  // namespace

AbortWatcher::AbortWatcher(std::string directory, Stop& stop)
    : directory_(std::move(directory)),
      folder_(directory_ + "/" + folder_name),
      file_(folder_ + "/" + abort_file_name),
      stop_(stop) {
  inotify_ = Descriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify_ || !end_ || ::access(directory_.c_str(), F_OK) != 0) {
    error_ = "cannot watch for " + file_ + ": " + std::strerror(errno);
    return;
  }
  before_ = version();
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& problem) {
    error_ = "cannot watch for " + file_ + ": no thread could be started: " + problem.what();
  }
}

AbortWatcher::~AbortWatcher() {
  if (thread_.joinable()) {
    end_.signal();
    thread_.join();
  }
}

void AbortWatcher::begin() {
  directory_watch_ = ::inotify_add_watch(inotify_.get(), directory_.c_str(), IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
  is_refused_ = directory_watch_ < 0;
  // First watch, then look: if a file appears in between, an event reports it.
  watch_folder();
  look_again();
}

void AbortWatcher::look() {
  if (triggered_ || !error_.empty()) return;
  const Version now = version();
  if (now.there && now != before_) request();
}

void AbortWatcher::look_again() {
  const Version now = version();
  if (now.there && now != before_) settle();
}

void AbortWatcher::settle() {
  if (!settles_) settles_ = Clock::now() + std::chrono::milliseconds(settle_ms);
}

void AbortWatcher::watch_folder() {
  folder_watch_ = ::inotify_add_watch(
      inotify_.get(), folder_.c_str(),
      IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVE_SELF | IN_DELETE_SELF | IN_ONLYDIR);
  // A folder that does not exist is reported by the watch of the directory.
  if (folder_watch_ < 0 && errno != ENOENT && errno != ENOTDIR) is_refused_ = true;
}

AbortWatcher::Version AbortWatcher::version() const {
  struct stat status {};
  if (::lstat(file_.c_str(), &status) != 0) return {};
  return {true,
          {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
           static_cast<std::uint64_t>(status.st_mtim.tv_sec), static_cast<std::uint64_t>(status.st_mtim.tv_nsec)}};
}

int AbortWatcher::patience() const {
  if (settles_) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*settles_ - Clock::now()).count();
    return static_cast<int>(std::max<std::int64_t>(left, 0));
  }
  return directory_watch_ < 0 || is_refused_ ? unwatched_ms : -1;
}

void AbortWatcher::watch() {
  bool begun = false;
  while (!triggered_) {
    pollfd waits[] = {{end_.descriptor(), POLLIN, 0}, {inotify_.get(), POLLIN, 0}};
    const int ready = ::poll(waits, 2, patience());
    if (ready < 0 && errno != EINTR) return;
    if (ready > 0 && waits[0].revents != 0) return;
    if (ready > 0) drain_events();
    if (settles_ && Clock::now() >= *settles_) {
      trigger();
    } else if (ready == 0 && !begun) {
      begin();
      begun = true;
    } else if (ready == 0 && !settles_) {
      look_again();
    }
  }
}

void AbortWatcher::drain_events() {
  alignas(inotify_event) char buffer[16384];
  while (!triggered_) {
    const ssize_t size = ::read(inotify_.get(), buffer, sizeof buffer);
    if (size <= 0) return;
    for (const char* at = buffer; at < buffer + size;) {
      inotify_event event{};
      std::memcpy(&event, at, sizeof event);
      const std::string name = event.len > 0 ? at + sizeof event : "";
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        watch_folder();
        const Version now = version();
        if (now.there && now != before_) trigger();
      } else if (event.wd == directory_watch_ && name == folder_name) {
        // The folder is new or was moved here, so any file in it is new here, too.
        watch_folder();
        look_again();
      } else if (event.wd == folder_watch_ && (event.mask & (IN_MOVE_SELF | IN_DELETE_SELF)) != 0) {
        ::inotify_rm_watch(inotify_.get(), folder_watch_);
        folder_watch_ = -1;
      } else if (event.wd == folder_watch_ && name == abort_file_name) {
        if ((event.mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) != 0) {
          trigger();
        } else {
          settle();
        }
      }
    }
  }
}

void AbortWatcher::trigger() {
  settles_.reset();
  // If the file was removed again, the person who made it has changed their mind.
  if (version().there) request();
}

void AbortWatcher::request() {
  if (!triggered_.exchange(true)) stop_.request(StopHow::graceful, read_reason(file_));
}

}  // namespace wtool::host::runner
