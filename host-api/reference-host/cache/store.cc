#include "cache/store.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <thread>
#include <tuple>

#include "base/environment.h"
#include "base/files.h"
#include "base/sha256.h"
#include "cache/patterns.h"

namespace wtool::host::cache {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds short_lock_wait{100};
constexpr milliseconds look_again{2};
constexpr std::size_t max_entry_bytes = 64UL << 20;
constexpr std::size_t piece = 256UL * 1024;
constexpr std::int64_t precision_of_uses = 60;  // seconds
constexpr std::string_view begun_prefix = "begun/";

std::string failure(const std::string& what, int error) { return what + ": " + ::strerror(error); }

std::optional<std::string> content_of(const std::string& path, struct stat& status) {
  const Descriptor file = open_regular(path, status);
  std::string text;
  if (!file || read_all(file.get(), max_entry_bytes, text) != 0) return std::nullopt;
  return text;
}

// The content is checked while it is copied, so that exactly what was checked is kept.
int copy(int from, int to, Sha256& digest, const std::function<std::string(std::string_view, bool)>& look,
         std::string& refused) {
  // Shares the blocks if the file system can; the data is then only read, not written.
  const bool shared = ::ioctl(to, FICLONE, from) == 0;
  const int source = shared ? to : from;
  std::string buffer(piece, '\0');
  for (;;) {
    const ssize_t got = ::read(source, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(got));
    if (look) refused = look(bytes, got == 0);
    if (got == 0 || !refused.empty()) return 0;
    digest.add(bytes);
    if (shared) continue;
    if (const int failed = write_all(to, bytes).error; failed != 0) return failed;
  }
}

std::uint64_t size_of(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

// Calls `function` for each file in or below the folder.
template <class Function>
void each_file(const std::string& folder, const Function& function) {
  std::error_code ignored;
  // If the folder is a link, its files belong to somebody else.
  if (fs::symlink_status(folder, ignored).type() != fs::file_type::directory) return;
  for (fs::recursive_directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::error_code gone;
    if (entry->symlink_status(gone).type() != fs::file_type::directory) function(entry->path());
  }
}

// Who holds a lock on the file, as the beginning of a sentence.
std::string holder_of(int file) {
  struct stat status {};
  std::ifstream locks("/proc/locks");
  const bool is_known = ::fstat(file, &status) == 0;
  for (std::string line; is_known && std::getline(locks, line);) {
    long process = 0;
    unsigned int major_number = 0, minor_number = 0;
    unsigned long inode = 0;
    if (std::sscanf(line.c_str(), "%*d: FLOCK %*s %*s %ld %x:%x:%lu", &process, &major_number, &minor_number, &inode) ==
            4 &&
        inode == status.st_ino && process > 0 && makedev(major_number, minor_number) == status.st_dev) {
      return "process " + std::to_string(process);
    }
  }
  return "another process";
}

}  // namespace

std::string Store::usual_folder() {
  const std::string home = environment_folder("HOME");
  const std::string cache = environment_folder("XDG_CACHE_HOME", home.empty() ? home : home + "/.cache");
  return cache.empty() ? cache : cache + "/wtool/steps";
}

std::string Store::problem() const {
  if (folder_.empty()) return "neither XDG_CACHE_HOME nor HOME is an absolute path";
  struct stat status {};
  if (::lstat(folder_.c_str(), &status) != 0) {
    return errno == ENOENT || errno == ENOTDIR ? "" : failure(folder_, errno);
  }
  if (!S_ISDIR(status.st_mode)) return folder_ + " is not a folder";
  if (status.st_uid != ::geteuid()) return folder_ + " belongs to another user";
  if ((status.st_mode & 022U) != 0)
    return folder_ + " can be written by other users; remove it, or run chmod 700 on it";
  if ((status.st_mode & 0700U) != 0700) return folder_ + " is closed to its owner; run chmod 700 on it";
  return "";
}

std::string Store::path(std::string_view kind, std::string_view name) const {
  std::string made = folder_ + '/' + std::string(kind) + '/';
  if (kind != "latest") made += std::string(name.substr(0, 2)) + '/';
  return made + std::string(name);
}

bool Store::make_folders(std::string& problem) const {
  const fs::path above = fs::path(folder_).parent_path();
  if (const std::error_code failed = wtool::make_folders(above.string())) {
    problem = "the folder " + above.string() + " cannot be created: " + failed.message();
    return false;
  }
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) {
    problem = failure(folder_, errno);
    return false;
  }
  if (problem = this->problem(); !problem.empty()) return false;
  for (const char* name : {"entries", "blobs", "latest", "files", "new", "claims"}) {
    const std::string made = folder_ + '/' + name;
    if (::mkdir(made.c_str(), 0700) == 0 || errno == EEXIST) continue;
    problem = failure(made, errno);
    return false;
  }
  return true;
}

std::string Store::claims_folder(std::string& problem) const {
  return make_folders(problem) ? folder_ + "/claims" : std::string();
}

Descriptor Store::lock(int how, milliseconds wait, std::string& problem) const {
  const std::string path = folder_ + "/lock";
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
  if (!file) {
    problem = failure(path, errno);
    return {};
  }
  // After a wait in vain, the process that holds the lock is probably stopped, and each further step would wait again.
  if (waited_in_vain_) wait = std::min(wait, short_lock_wait);
  for (const auto until = steady_clock::now() + wait; ::flock(file.get(), how | LOCK_NB) != 0;) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      problem = failure(path, errno);
      return {};
    }
    if (steady_clock::now() >= until) {
      waited_in_vain_ = true;
      problem = holder_of(file.get()) + " still held the lock " + path + " after " + std::to_string(wait.count()) +
                " ms; look whether it is stopped (`lslocks` shows who holds the lock)";
      return {};
    }
    std::this_thread::sleep_for(look_again);
  }
  waited_in_vain_ = false;
  return file;
}

bool Store::write(const std::string& to, std::string_view text, std::string& problem) const {
  std::string name = folder_ + "/new/XXXXXX";
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) {
    problem = failure(name, errno);
    return false;
  }
  int failed = write_all(file.get(), text).error;
  if (failed == 0 && ::fsync(file.get()) != 0) failed = errno;
  if (failed == 0) {
    const std::string folder = fs::path(to).parent_path().string();
    ::mkdir(folder.c_str(), 0700);
    if (::rename(name.c_str(), to.c_str()) == 0) return true;
    failed = errno;
  }
  ::unlink(name.c_str());
  problem = failure(to, failed);
  return false;
}

std::optional<CacheEntry> Store::find(std::string_view key) const { return read(key, false); }

std::optional<CacheEntry> Store::read(std::string_view key, bool with_parts) const {
  const std::string file = path("entries", key);
  struct stat status {};
  const auto text = content_of(file, status);
  if (!text) return std::nullopt;
  auto entry = entry_of(*text, with_parts);
  if (entry) entry->used = status.st_mtim.tv_sec;
  if (entry && entry->key == key) return entry;
  if (with_parts) {
    find(key);  // removes the file, unless only the parts are damaged
  } else {
    ::unlink(file.c_str());
  }
  return std::nullopt;
}

std::string Store::latest_link(std::string_view step) const {
  char text[PATH_MAX];
  const ssize_t size = ::readlink(path("latest", step).c_str(), text, sizeof text);
  return size < 0 ? "" : std::string(text, static_cast<std::size_t>(size));
}

std::string Store::latest_key(std::string_view step) const {
  const std::string text = latest_link(step);
  if (text.size() < sha256_size) return {};
  std::string key = text.substr(text.size() - sha256_size);
  return is_sha256(key) ? key : "";
}

bool Store::is_newest(std::string_view step, std::string_view key) const {
  return latest_key(step) == key && !latest_link(step).starts_with(begun_prefix);
}

void Store::begin(std::string_view step) const {
  const std::string key = latest_key(step);
  if (key.empty() || !is_newest(step, key)) return;
  if (!link_latest(step, std::string(begun_prefix) + key)) ::unlink(path("latest", step).c_str());
}

// Failing does no harm: what has changed is then not said, or said of an older entry.
void Store::set_latest(std::string_view step, std::string_view key) const {
  link_latest(step, ".." + path("entries", key).substr(folder_.size()));
}

bool Store::link_latest(std::string_view step, const std::string& target) const {
  const std::string name = folder_ + "/new/" + std::string(step) + '.' + std::to_string(::getpid());
  ::unlink(name.c_str());  // left by a process that was killed
  if (::symlink(target.c_str(), name.c_str()) != 0) return false;
  if (::rename(name.c_str(), path("latest", step).c_str()) == 0) return true;
  ::unlink(name.c_str());
  return false;
}

std::optional<CacheEntry> Store::latest(std::string_view step) const {
  const std::string key = latest_key(step);
  return key.empty() ? std::nullopt : read(key, true);
}

bool Store::has_content(std::string_view hash) const {
  return is_sha256(hash) && ::access(path("blobs", hash).c_str(), F_OK) == 0;
}

void Store::used(const CacheEntry& entry, std::string_view step) const {
  const std::int64_t now = std::time(nullptr);
  if (entry.used + precision_of_uses <= now || entry.used > now) {
    ::utimensat(AT_FDCWD, path("entries", entry.key).c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
  }
  if (latest_key(step) != entry.key) set_latest(step, entry.key);
}

// ---- keeping

Store::Keeping::Keeping(Store& store, std::string& problem) : store_(store) {
  if (!store.make_folders(problem)) return;
  lock_ = store.lock(LOCK_SH, store.lock_wait_, problem);
}

std::string Store::Keeping::add(const std::string& file, const Look& look, std::string& problem) {
  std::string why;
  const Descriptor from = open_without_links(file, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0, why);
  struct stat before {};
  if (from && ::fstat(from.get(), &before) != 0) why = ::strerror(errno);
  if (!why.empty()) {
    problem = "it cannot be read: " + why;
    return {};
  }
  if (!S_ISREG(before.st_mode)) {
    problem = "it is not a file";
    return {};
  }
  bytes_ += static_cast<std::uint64_t>(before.st_size);
  if (bytes_ > store_.max_bytes_) {
    problem =
        "the outputs have more than " + std::to_string(store_.max_bytes_) + " bytes, the limit of the whole store";
    return {};
  }
  std::string name = store_.folder_ + "/new/XXXXXX";
  const Descriptor to(::mkostemp(name.data(), O_CLOEXEC));
  if (!to) {
    problem = failure(name, errno);
    return {};
  }
  Sha256 digest;
  int failed = copy(from.get(), to.get(), digest, look, problem);
  struct stat after {};
  if (failed == 0 && problem.empty() &&
      (::fstat(from.get(), &after) != 0 || after.st_size != before.st_size ||
       after.st_mtim.tv_sec != before.st_mtim.tv_sec || after.st_mtim.tv_nsec != before.st_mtim.tv_nsec)) {
    problem = "it changed while it was read";
  }
  std::string hash = digest.finish();
  if (failed == 0 && problem.empty()) {
    const std::string blob = store_.path("blobs", hash);
    // Replaces any earlier copy in the store: that copy may be damaged, while the new one is known to be right.
    ::mkdir(fs::path(blob).parent_path().c_str(), 0700);
    if (::rename(name.c_str(), blob.c_str()) != 0) failed = errno;
  }
  if (failed == 0 && problem.empty()) return hash;
  ::unlink(name.c_str());
  if (problem.empty()) problem = failure("it cannot be copied", failed);
  return {};
}

bool Store::Keeping::finish(const CacheEntry& entry, std::string_view step, std::string& problem) {
  const std::string text = entry_text(entry);
  if (text.size() > max_entry_bytes) {
    problem = "the result is too large";
    return false;
  }
  if (!store_.write(store_.path("entries", entry.key), text, problem)) return false;
  store_.set_latest(step, entry.key);
  return true;
}

// ---- restoring

bool Store::restore(const std::string& directory, const CachedOutput& output, std::string& problem) const {
  const fs::path target(output.path);
  bool made = false;
  std::string why;
  const Descriptor folder = make_folder_without_links(directory, target.parent_path().string(), 0777, made, why);
  if (!folder) {
    problem = why;
    return false;
  }
  const std::string own = target.filename().string();
  const std::string name = std::string(unfinished_prefix) + std::to_string(::getpid()) + "-" +
                           sha256(directory + '\0' + output.path).substr(0, 16);
  ::unlinkat(folder.get(), name.c_str(), 0);
  int failed = 0;
  if (output.hash.empty()) {
    if (::symlinkat(output.link.c_str(), folder.get(), name.c_str()) != 0) failed = errno;
  } else {
    const std::string blob = path("blobs", output.hash);
    const Descriptor from = open_regular(blob);
    if (!from) {
      problem = "the store no longer has the content";
      return false;
    }
    // Until the file gets its real mode, only its owner may open it.
    const Descriptor to(::openat(folder.get(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    Sha256 digest;
    failed = to ? copy(from.get(), to.get(), digest, nullptr, why) : errno;
    if (failed == 0 && ::fchmod(to.get(), static_cast<mode_t>(output.mode)) != 0) failed = errno;
    if (failed == 0 && digest.finish() != output.hash) {
      ::unlink(blob.c_str());
      problem = "the content in the store is damaged";
      ::unlinkat(folder.get(), name.c_str(), 0);
      return false;
    }
  }
  if (failed == 0 && ::renameat(folder.get(), name.c_str(), folder.get(), own.c_str()) != 0) failed = errno;
  if (failed == 0) return true;
  ::unlinkat(folder.get(), name.c_str(), 0);
  problem = ::strerror(failed);
  return false;
}

void Store::remove_unfinished(const std::string& directory, const std::string& folder) {
  bool made = false;
  std::string why;
  const Descriptor opened = make_folder_without_links(directory, folder, 0777, made, why);
  if (!opened || made) return;
  std::error_code failed;
  // Through the descriptor, because a command may put a link in place of the folder.
  for (fs::directory_iterator entry("/proc/self/fd/" + std::to_string(opened.get()), failed), end;
       !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(unfinished_prefix)) continue;
    pid_t process = 0;
    std::from_chars(name.data() + unfinished_prefix.size(), name.data() + name.size(), process);
    struct stat status {};
    if (process <= 0 || ::kill(process, 0) == 0 || errno != ESRCH) continue;
    if (::fstatat(opened.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_uid != ::geteuid() ||
        S_ISDIR(status.st_mode)) {
      continue;
    }
    // If the process lives after all, where it cannot be seen from here, its output is only made again.
    ::unlinkat(opened.get(), name.c_str(), 0);
  }
}

// ---- all entries

std::vector<ListedEntry> Store::list() const {
  std::vector<ListedEntry> all;
  if (!problem().empty()) return all;
  each_file(folder_ + "/entries", [&](const fs::path& file) {
    auto entry = find(file.filename().string());
    struct stat status {};
    if (!entry || ::lstat(file.c_str(), &status) != 0) return;
    ListedEntry listed;
    listed.bytes = static_cast<std::uint64_t>(status.st_size);
    for (const CachedOutput& output : entry->outputs) listed.bytes += output.bytes;
    listed.entry = std::move(*entry);
    all.push_back(std::move(listed));
  });
  std::sort(all.begin(), all.end(), [](const ListedEntry& one, const ListedEntry& other) {
    return std::tie(one.entry.used, one.entry.key) > std::tie(other.entry.used, other.entry.key);
  });
  return all;
}

void Store::remove(std::string_view key) const { ::unlink(path("entries", key).c_str()); }

void Store::remove_with_contents(const CacheEntry& entry) const {
  remove(entry.key);
  for (const CachedOutput& output : entry.outputs) {
    if (!output.hash.empty()) ::unlink(path("blobs", output.hash).c_str());
  }
}

std::string Store::look_at(const CachedOutput& output, const Keeping::Look& look) const {
  const Descriptor from = open_regular(path("blobs", output.hash));
  std::string buffer(piece, '\0');
  while (from) {
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    std::string said = look({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))}, got <= 0);
    if (!said.empty() || got <= 0) return said;
  }
  return {};
}

std::uint64_t Store::clear(std::string& problem) const {
  if (problem = this->problem(); !problem.empty() || ::access(folder_.c_str(), F_OK) != 0) return 0;
  const Descriptor held = lock(LOCK_EX, lock_wait_, problem);
  if (!held) return 0;
  std::uint64_t bytes = 0;
  for (const char* kind : {"entries", "latest", "blobs", "files", "new"}) {
    each_file(folder_ + '/' + kind, [&](const fs::path& file) {
      const std::uint64_t size = size_of(file.string());
      if (::unlink(file.c_str()) == 0) {
        bytes += size;
      } else if (problem.empty()) {
        problem = failure(file.string(), errno);
      }
    });
  }
  return bytes;
}

void Store::trim() const {
  if (!problem().empty() || ::access(folder_.c_str(), F_OK) != 0) return;
  std::uint64_t bytes = 0;
  for (const char* kind : {"entries", "blobs", "new"}) {
    each_file(folder_ + '/' + kind, [&](const fs::path& file) { bytes += size_of(file.string()); });
  }
  if (bytes <= max_bytes_) return;
  std::string in_use;
  const Descriptor held = lock(LOCK_EX, milliseconds(0), in_use);
  if (!held) return;
  // No process is keeping an entry now, so these files were left by processes that were killed. (If one of them is just
  // being written by used(), losing it does no harm.)
  each_file(folder_ + "/new", [](const fs::path& file) { ::unlink(file.c_str()); });
  std::vector<ListedEntry> all = list();
  std::map<std::string, int> uses;
  bytes = 0;
  std::map<std::string, std::uint64_t> sizes;
  each_file(folder_ + "/blobs", [&](const fs::path& file) {
    sizes[file.filename().string()] = size_of(file.string());
    bytes += size_of(file.string());
  });
  for (const ListedEntry& one : all) {
    std::uint64_t own = one.bytes;
    for (const CachedOutput& output : one.entry.outputs) {
      own -= output.bytes;
      ++uses[output.hash];
    }
    bytes += own;
  }
  const auto drop = [&](const std::string& hash) {
    const auto found = sizes.find(hash);
    if (found == sizes.end()) return;
    ::unlink(path("blobs", hash).c_str());
    bytes -= found->second;
    sizes.erase(found);
  };
  std::vector<std::string> unused;
  for (const auto& [hash, size] : sizes) {
    if (!uses.contains(hash)) unused.push_back(hash);
  }
  for (const std::string& hash : unused) drop(hash);
  while (bytes > max_bytes_ && !all.empty()) {
    const ListedEntry oldest = std::move(all.back());
    all.pop_back();
    remove(oldest.entry.key);
    std::uint64_t own = oldest.bytes;
    for (const CachedOutput& output : oldest.entry.outputs) {
      own -= output.bytes;
      if (--uses[output.hash] == 0) drop(output.hash);
    }
    bytes -= std::min(bytes, own);
  }
}

}  // namespace wtool::host::cache
