#include "audit/trail.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "audit/rotated_files.h"
#include "base/audit_trail.h"
#include "base/descriptor.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/sha256.h"
#include "system/real_folder.h"

namespace wtool::audit {

namespace {

// The trail's file while one line is written to it: opened, locked, repaired, rotated.
//
// - The file is opened for each line and closed again. So no descriptor stays in the host, no cached number can become
//   stale because of another process, and a rotation by another process is noticed before anything is written.
// - The lock is taken with flock, so it belongs to the open file. It excludes other threads as well as other processes,
//   because each thread opens the file again. Unlike a POSIX record lock (fcntl), it is not lost when some other code
//   in this process closes a descriptor of the same file. A thread waits for the lock in short sleeps: the only other
//   way to bound the wait is a signal, and signals belong to the host. The kernel releases the lock of a process that
//   dies.
// - The last component of the path must be a regular file or missing. Symbolic links are not followed, not even in the
//   folder's path, and everything is done through the folder's descriptor, since a command could have put a link there
//   (system/real_folder.h). A missing folder is made, accessible only to this user, if the folder above it exists.
// - A line that cannot be written whole is removed again.
//
// A member that returns a text returns an empty one on success; otherwise the text says what failed and what to do, and
// no other member may be called afterwards.
class TrailFile {
 public:
  // `lock_wait`: how long to wait for the file's lock.
  TrailFile(const TrailOptions& options, std::chrono::milliseconds lock_wait);
  TrailFile(const TrailFile&) = delete;
  TrailFile& operator=(const TrailFile&) = delete;
  ~TrailFile();

  // Call this first. Afterwards the lock is held, and the file ends with a whole line, or is empty and the first of its
  // chain.
  std::string open();

  // Appends one event, after a rotation if the file would become too large.
  std::string append(std::string_view event, const nlohmann::ordered_json& fields);

  // Call this last. Releases the lock; if `sync_data` is set, the line is then on the disk. The lock is released before
  // the sync, so that concurrent writers share one sync.
  std::string finish();

  // Another process had the lock all the time.
  bool waited_in_vain() const { return waited_in_vain_; }

 private:
  enum class Lock { held, file_has_gone, failed };
  std::string open_folder();
  std::string open_once(Lock& lock);
  std::string lock_it(Lock& lock);
  void unlock();
  std::string begin();
  std::string repair(std::uint64_t torn_at);
  std::string rotate();
  std::string write(TrailLine line, std::string_view before = {});

  const TrailOptions& options_;
  const std::string name_;  // of the file, in its folder
  const std::chrono::milliseconds lock_wait_;
  const std::chrono::steady_clock::time_point lock_deadline_;
  RealFolder folder_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  Link last_;
  bool began_file_ = false;
  bool waited_in_vain_ = false;
};

using nlohmann::ordered_json;
using std::chrono::steady_clock;
using std::chrono::system_clock;

// A process that has waited in vain for a lock waits only this long until it gets the lock again, or a process that
// holds the lock forever would delay each call of this one.
constexpr std::chrono::milliseconds wait_for_stuck_lock{100};

constexpr const char* another = ", or name another file as audit.file";

std::string trail_advice(int error) {
  switch (error) {
    case ENOENT:
      return std::string("make the folder for it") + another;
    case ELOOP:
      return std::string("its name is a symbolic link, which is not followed; remove the link") + another;
    case ENOTDIR:
    case EISDIR:
      return "name a file in a folder as audit.file";
    case EACCES:
    case EPERM:
    case EROFS:
      return std::string("allow the host's user to read and write it, and to make files in its folder") + another;
    default:
      return advice_for(error, {"file", "audit.file", "audit.max_bytes"});
  }
}

std::string because(const std::string& what, int error) {
  return what + ": " + std::strerror(error) + "; " + trail_advice(error);
}

int open_file(const RealFolder& folder, const std::string& name) {
  // O_NONBLOCK, so that opening a FIFO or a device waits for nobody.
  return ::openat(folder.place.get(), name.c_str(),
                  O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
}

int sync_folder(const RealFolder& folder) {
  const Descriptor opened = open_for_reading(folder);
  return opened && ::fsync(opened.get()) == 0 ? 0 : errno;
}

// Sets `last` to the link of the last line of the rotated file `name`.
std::string last_of(const RealFolder& folder, const std::string& name, Link& last) {
  const std::string path = folder.above + '/' + name;
  const Descriptor file(
      ::openat(folder.place.get(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) return because(path + " cannot be read", errno);
  std::optional<Link> found;
  if (S_ISREG(status.st_mode)) found = last_link(file.get(), static_cast<std::uint64_t>(status.st_size));
  if (!found) {
    return path + " should contain the earlier lines, but its last line is not complete; move this file away";
  }
  last = *found;
  return {};
}

TrailFile::TrailFile(const TrailOptions& options, std::chrono::milliseconds lock_wait)
    : options_(options),
      name_(options.file.substr(options.file.rfind('/') + 1)),
      lock_wait_(lock_wait),
      lock_deadline_(steady_clock::now() + lock_wait) {}

TrailFile::~TrailFile() { unlock(); }

// Unlocks explicitly, because closing the file would not be enough: a child that the host has just forked also has the
// file open, and would keep the lock.
void TrailFile::unlock() {
  if (descriptor_) ::flock(descriptor_.get(), LOCK_UN);
}

std::string TrailFile::open() {
  Lock lock = Lock::file_has_gone;
  std::string problem;
  while (lock == Lock::file_has_gone) problem = open_once(lock);
  if (lock == Lock::failed) return problem;

  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) return because("it cannot be read", errno);
  size_ = static_cast<std::uint64_t>(status.st_size);
  Tail tail;
  if (!read_tail(descriptor_.get(), size_, tail, problem)) return problem;
  const bool torn = tail.torn_at < size_;
  if (tail.last) {
    last_ = *tail.last;
  } else {
    problem = begin();
  }
  return problem.empty() && torn ? repair(tail.torn_at) : problem;
}

std::string TrailFile::open_folder() {
  folder_ = open_real_folder(parent_of(options_.file));
  if (!folder_.link.empty()) {
    return folder_.link +
           " is a symbolic link, and a command could have put it there; remove it, or, if it is yours, name " +
           shown_real_path(options_.file) + " as audit.file";
  }
  if (folder_.error != 0) return because("it cannot be opened", folder_.error);
  if (folder_.is_there()) return {};
  // One level only: if more is missing, the path is probably a mistake.
  const bool deep = folder_.missing.find('/', 1) != std::string::npos;
  if (deep) return because("its folder cannot be created", ENOENT);
  const Descriptor above = open_for_reading(folder_);
  const int unopened = above ? 0 : errno;
  if (!make_missing(folder_, 0700)) return because("its folder cannot be created", folder_.error);
  if (options_.sync_data && (!above || ::fsync(above.get()) != 0)) {
    return because("its folder cannot be synchronised", above ? errno : unopened);
  }
  return {};
}

std::string TrailFile::open_once(Lock& lock) {
  lock = Lock::failed;
  if (std::string problem = open_folder(); !problem.empty()) return problem;
  descriptor_ = Descriptor(open_file(folder_, name_));
  const int error = errno;
  if (!descriptor_) return because("it cannot be opened", error);
  struct stat status {};
  if (::fstat(descriptor_.get(), &status) != 0) return because("it cannot be read", errno);
  if (!S_ISREG(status.st_mode)) return std::string("it is not a regular file; remove it") + another;
  return lock_it(lock);
}

std::string TrailFile::lock_it(Lock& lock) {
  lock = Lock::failed;
  constexpr std::chrono::microseconds max_pause{2000};
  for (std::chrono::microseconds pause{50}; ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0;
       pause = std::min(pause * 2, max_pause)) {
    if (errno != EWOULDBLOCK && errno != EINTR) return because("it cannot be locked", errno);
    if (steady_clock::now() >= lock_deadline_) {
      waited_in_vain_ = true;
      return "another process has held its lock for " + std::to_string(lock_wait_.count()) +
             " ms; look for a stopped process (`lslocks` shows it)";
    }
    std::this_thread::sleep_for(pause);
  }
  // While we waited, another process may have rotated the file. The file that we opened is then complete.
  struct stat ours {};
  struct stat named {};
  const bool same = ::fstat(descriptor_.get(), &ours) == 0 &&
                    ::fstatat(folder_.place.get(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
                    ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
  lock = same ? Lock::held : Lock::file_has_gone;
  if (!same && steady_clock::now() >= lock_deadline_) {
    lock = Lock::failed;
    return "it is replaced faster than it can be locked; look for the program that removes or renames it";
  }
  return {};
}

// Called if the file has no whole line: it is either the first file of its chain, or the new file after a rotation.
// Another process may have begun that rotation and may then have been killed.
std::string TrailFile::begin() {
  // The file's name must be on the disk before its first line is: a process that finds a whole line in the file no
  // longer syncs the folder.
  if (options_.sync_data) {
    if (const int error = sync_folder(folder_); error != 0) {
      return because("its folder cannot be synchronised", error);
    }
  }
  std::vector<std::string> rotated;
  if (!find_rotated(folder_, name_, rotated)) return because("its folder cannot be read", errno);
  if (rotated.empty()) {
    began_file_ = size_ == 0;
    return {};
  }
  if (std::string problem = last_of(folder_, rotated.back(), last_); !problem.empty()) return problem;
  if (size_ > 0) return {};  // Its first line is torn; the line that reports this continues the chain.
  began_file_ = true;
  return write(rotated_line(rotated.back(), last_));
}

std::string TrailFile::repair(std::uint64_t torn_at) {
  std::string torn;
  if (!read_bytes(descriptor_.get(), torn_at, size_, torn)) return because("its end cannot be read", errno);
  // A line that lacks only its newline is whole.
  if (const auto link = read_link(torn); link && link->seq == last_.seq + 1 && is_intact(torn)) {
    return write({"\n", *link});
  }
  // A newline at the end is not part of the torn line: a repair that was itself cut short may have written it.
  const bool closed = torn.back() == '\n';
  if (closed) torn.pop_back();
  const ordered_json fields{{"torn_bytes", torn.size()}, {"torn_sha256", sha256(torn)}};
  return write(make_line(system_clock::now(), "recovered", fields, last_), closed ? "" : "\n");
}

std::string TrailFile::append(std::string_view event, const ordered_json& fields) {
  TrailLine line = make_line(system_clock::now(), event, fields, last_);
  // Each file gets at least one event, however small the limit is. This is a loop, because other processes may fill the
  // new file before this process gets the lock.
  while (options_.max_bytes > 0 && size_ > 0 && size_ + line.text.size() > options_.max_bytes && !began_file_) {
    if (std::string problem = rotate(); !problem.empty()) return problem;
    line = make_line(system_clock::now(), event, fields, last_);
  }
  return write(std::move(line));
}

std::string TrailFile::rotate() {
  // Without this sync, the new file could exist after a loss of power, while the end of the old file is missing.
  if (options_.sync_data && ::fdatasync(descriptor_.get()) != 0) return because("it cannot be synchronised", errno);
  const std::string aside = rotated_name(name_, last_.seq);
  if (!rename_aside(folder_.place.get(), name_, aside)) {
    return because("it has reached audit.max_bytes, but cannot be renamed to " + folder_.above + '/' + aside, errno);
  }
  unlock();
  if (std::string problem = open(); !problem.empty()) return problem;
  std::vector<std::string> rotated;
  if (options_.keep == 0 || !find_rotated(folder_, name_, rotated)) return {};
  // A file that cannot be removed stays until the next rotation, which tries again to remove it.
  for (std::size_t i = 0; i + options_.keep < rotated.size(); ++i)
    ::unlinkat(folder_.place.get(), rotated[i].c_str(), 0);
  return {};
}

std::string TrailFile::write(TrailLine line, std::string_view before) {
  line.text.insert(0, before);
  const auto [written, error] = write_without_signal(descriptor_.get(), line.text);
  if (error != 0) {
    // If the truncation also fails, the next writer finds a torn line and records it.
    const bool whole = written == 0 || ::ftruncate(descriptor_.get(), static_cast<off_t>(size_)) == 0;
    return because(whole ? "a line cannot be added" : "a line cannot be added, and a part of it stays in the file",
                   error);
  }
  size_ += line.text.size();
  last_ = std::move(line.link);
  return {};
}

std::string TrailFile::finish() {
  unlock();
  if (options_.sync_data && ::fdatasync(descriptor_.get()) != 0) return because("it cannot be synchronised", errno);
  // Some file systems report a lack of space only when the file is closed.
  if (::close(descriptor_.release()) != 0 && errno != EINTR) return because("it cannot be written", errno);
  return {};
}

}  // namespace

Trail::Trail(TrailOptions options) : options_(std::move(options)) {}

Trail::~Trail() = default;

std::string Trail::write(std::string_view event, const nlohmann::ordered_json& fields) {
  if (options_.file.empty()) return {};
  TrailFile file(options_, lock_is_stuck_ ? std::min(options_.lock_wait, wait_for_stuck_lock) : options_.lock_wait);
  std::string problem = file.open();
  lock_is_stuck_ = file.waited_in_vain();
  if (problem.empty()) problem = file.append(event, fields);
  if (problem.empty()) problem = file.finish();
  return problem.empty() ? problem : "the audit trail " + options_.file + " cannot be written: " + problem;
}

}  // namespace wtool::audit
