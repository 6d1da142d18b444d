#include "cache/file_hashes.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "base/sha256.h"
#include "base/timespec.h"
#include "cache/patterns.h"

namespace wtool::host::cache {
namespace {

// The coarsest time stamps of a file system, in nanoseconds: those of FAT change every 2 seconds.
constexpr std::int64_t recent = 2'000'000'000;
constexpr std::size_t max_records = 200'000;
constexpr std::size_t max_record_bytes = 256UL << 20;
constexpr std::string_view record_head = "wtool file hashes 1 ";

std::int64_t now() {
  struct timespec time {};
  ::clock_gettime(CLOCK_REALTIME, &time);
  return to_ns(time);
}

bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         to_ns(one.st_mtim) == to_ns(other.st_mtim) && to_ns(one.st_ctim) == to_ns(other.st_ctim);
}

// The hash of the file's content; empty: `problem` says why.
std::string content_hash(const std::string& path, struct stat& status, std::string& problem) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!file || ::fstat(file.get(), &status) != 0) {
    problem = std::string("cannot be read: ") + ::strerror(errno);
    return {};
  }
  if (!S_ISREG(status.st_mode)) {
    problem = "is not a file";
    return {};
  }
  Sha256 digest;
  std::vector<char> buffer(256UL * 1024);
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      problem = std::string("cannot be read: ") + ::strerror(errno);
      return {};
    }
    if (got == 0) break;
    digest.add({buffer.data(), static_cast<std::size_t>(got)});
  }
  struct stat after {};
  if (::fstat(file.get(), &after) != 0 || !is_same(status, after)) {
    problem = "changed while it was read";
    return {};
  }
  return digest.finish();
}

}  // namespace

FileState FileHashes::look(const std::string& path, const Reads& reads) {
  FileState state;
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) state.problem = std::string("cannot be read: ") + ::strerror(errno);
    return state;
  }
  state.exists = true;
  state.name = identity_of(status);
  if (S_ISLNK(status.st_mode)) {
    std::string text(PATH_MAX, '\0');
    const ssize_t size = ::readlink(path.c_str(), text.data(), text.size());
    if (size < 0) {
      state.problem = std::string("cannot be read: ") + ::strerror(errno);
      return state;
    }
    state.link = text.substr(0, static_cast<std::size_t>(size));
    // If a link is dangling or points to a folder, the state consists only of the link's text.
    if (::stat(path.c_str(), &status) != 0) {
      if (!means_no_file(errno)) {
        state.problem = std::string("leads to a file that cannot be read: ") + ::strerror(errno);
      }
      return state;
    }
    if (S_ISDIR(status.st_mode)) return state;
  }
  if (!S_ISREG(status.st_mode)) {
    state.problem = "is not a file";
    return state;
  }
  const auto fill = [&](const std::string& hash) {
    state.executable = (status.st_mode & 0111U) != 0;
    state.mode = status.st_mode & 0777U;
    state.bytes = static_cast<std::uint64_t>(status.st_size);
    state.file = identity_of(status);
    state.hash = hash;
  };
  {
    const std::lock_guard lock(mutex_);
    load();
    const auto found = known_.find(path);
    if (found != known_.end()) {
      const Known& known = found->second;
      const std::int64_t modified = to_ns(status.st_mtim), changed = to_ns(status.st_ctim);
      if (known.device == status.st_dev && known.inode == status.st_ino &&
          known.bytes == static_cast<std::uint64_t>(status.st_size) && known.modified == modified &&
          known.changed == changed && modified + recent <= known.read && changed + recent <= known.read) {
        fill(known.hash);
        return state;
      }
    }
    ++files_read_;
  }
  if (reads) reads(static_cast<std::uint64_t>(status.st_size));
  const std::int64_t began = now();
  std::string hash = content_hash(path, status, state.problem);
  if (!state.problem.empty()) return state;
  fill(hash);
  const std::lock_guard lock(mutex_);
  if (known_.size() >= max_records) known_.clear();
  known_.insert_or_assign(path, Known{status.st_dev, status.st_ino, state.bytes, to_ns(status.st_mtim),
                                      to_ns(status.st_ctim), began, std::move(hash)});
  changed_ = true;
  return state;
}

// Call it with mutex_ held. The first line of the record file has the hash of all that follows. After it, there is one
// record for each hashed file: its path, a NUL, the six numbers of Known (device, inode, bytes, modified, changed,
// read), its hash and a newline.
void FileHashes::load() {
  if (loaded_) return;
  loaded_ = true;
  if (record_.empty()) return;
  const Descriptor file = open_regular(record_);
  std::string text;
  if (!file || read_all(file.get(), max_record_bytes, text) != 0) return;
  const std::size_t head = record_head.size() + sha256_size + 1;
  if (text.size() < head || !text.starts_with(record_head)) return;
  const std::string_view rest = std::string_view(text).substr(head);
  if (sha256(rest) != std::string_view(text).substr(record_head.size(), sha256_size)) return;
  for (std::size_t at = 0; at < rest.size();) {
    const std::size_t nul = rest.find('\0', at);
    if (nul == std::string_view::npos) return;
    const std::size_t end = std::min(rest.find('\n', nul), rest.size());
    Known known;
    const char* next = rest.data() + nul + 1;
    const char* const last = rest.data() + end;
    const auto take = [&](auto& number) {
      const auto parsed = std::from_chars(next, last, number);
      next = parsed.ptr < last ? parsed.ptr + 1 : last;
      return parsed.ec == std::errc();
    };
    if (!take(known.device) || !take(known.inode) || !take(known.bytes) || !take(known.modified) ||
        !take(known.changed) || !take(known.read)) {
      return;
    }
    known.hash.assign(next, last);
    if (!is_sha256(known.hash)) return;
    known_.insert_or_assign(std::string(rest.substr(at, nul - at)), std::move(known));
    at = end + 1;
  }
}

void FileHashes::forget(const std::function<bool(const std::string&)>& which) {
  const std::lock_guard lock(mutex_);
  load();
  if (std::erase_if(known_, [&](const auto& file) { return which(file.first); }) > 0) changed_ = true;
}

void FileHashes::save() {
  const std::lock_guard lock(mutex_);
  if (!changed_ || record_.empty()) return;
  changed_ = false;
  std::string rest;
  for (const auto& [path, known] : known_) {
    rest += path;
    rest += '\0';
    for (const std::uint64_t number : {known.device, known.inode, known.bytes}) rest += std::to_string(number) + ' ';
    for (const std::int64_t number : {known.modified, known.changed, known.read}) rest += std::to_string(number) + ' ';
    rest += known.hash + '\n';
  }
  std::string name = record_ + ".XXXXXX";
  const Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return;
  const std::string text = std::string(record_head) + sha256(rest) + '\n' + rest;
  // Not synchronized to disk: after a power failure, the hash in its first line shows whether the file is whole.
  if (write_all(file.get(), text).error != 0 || ::rename(name.c_str(), record_.c_str()) != 0) ::unlink(name.c_str());
}

}  // namespace wtool::host::cache
