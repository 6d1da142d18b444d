#include "audit/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "base/audit_trail.h"
#include "base/escape.h"
#include "base/sha256.h"

namespace wtool::host::audit {

namespace {

namespace fs = std::filesystem;
using wtool::audit::is_older_name;
using wtool::audit::is_rotated_name;
using wtool::audit::max_line;

constexpr std::chrono::seconds max_wait{5};

std::string cannot_read(const std::string& path, const std::string& why) {
  return "cannot read the audit trail " + escaped(path) + ": " + why;
}

bool find_rotated(const fs::path& file, std::vector<Part>& parts, std::string& error) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string own = file.filename().string();
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (is_rotated_name(name, own)) {
      parts.push_back({.path = file.string() + name.substr(own.size()), .name = name});
    }
  }
  if (failed) {
    error = cannot_read(file.string(), "its folder cannot be read: " + failed.message());
    return false;
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return is_older_name(a.name, b.name); });
  return true;
}

bool lock_for_reading(int file) {
  const auto deadline = std::chrono::steady_clock::now() + max_wait;
  while (::flock(file, LOCK_SH | LOCK_NB) != 0) {
    // On a file system without locks, no writer can hold one.
    if (errno != EWOULDBLOCK && errno != EINTR) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Whether the path still names the file that is open.
bool is_named(const Part& part) {
  struct stat ours {};
  struct stat named {};
  return ::fstat(part.file.get(), &ours) == 0 && ::stat(part.path.c_str(), &named) == 0 &&
         ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

}  // namespace

int open_part(Part& part, std::string& error) {
  if (part.file) return 0;
  part.file = Descriptor(::open(part.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!part.file || ::fstat(part.file.get(), &status) != 0) {
    const int failed = errno;
    error = cannot_read(part.path, ::strerror(failed));
    return failed;
  }
  if (!S_ISREG(status.st_mode)) {
    error = cannot_read(part.path, "it is not a regular file");
    return EINVAL;
  }
  part.size = static_cast<std::uint64_t>(status.st_size);
  return 0;
}

std::optional<std::vector<Part>> find_parts(const std::string& file, std::string& error) {
  // While FILE's lock is held, nobody writes to it or rotates it.
  for (;;) {
    std::vector<Part> parts;
    Part newest{.path = file, .name = fs::path(file).filename().string(), .newest = true};
    if (const int failed = open_part(newest, error); failed != 0) {
      // If FILE is missing, there may still be rotated files.
      std::string unused;
      if (failed != ENOENT || !find_rotated(file, parts, unused) || parts.empty()) return std::nullopt;
      return parts;
    }
    if (!lock_for_reading(newest.file.get())) {
      error = cannot_read(file, "another process has held its lock for " + std::to_string(max_wait.count()) +
                                    " s; look for a stopped process (`lslocks` shows it)");
      return std::nullopt;
    }
    if (!is_named(newest)) continue;  // it was rotated after it was opened, and before it was locked
    struct stat status {};
    ::fstat(newest.file.get(), &status);
    newest.size = static_cast<std::uint64_t>(status.st_size);
    const bool found = find_rotated(file, parts, error);
    ::flock(newest.file.get(), LOCK_UN);
    if (!found) return std::nullopt;
    parts.push_back(std::move(newest));
    return parts;
  }
}

std::optional<std::vector<Part>> find_rotated_parts(const std::string& file, std::string& error) {
  std::vector<Part> parts;
  return find_rotated(file, parts, error) ? std::optional(std::move(parts)) : std::nullopt;
}

// ---- Reading a part.

namespace {

constexpr std::size_t piece_size = 64UL * 1024;

// Reads up to `most` bytes from the offset `at`. Returns 0 both at the end, with errno 0, and on failure, with the
// error in errno.
std::size_t read_piece(int file, char* to, std::size_t most, std::uint64_t at) {
  for (;;) {
    errno = 0;
    const ssize_t got = ::pread(file, to, most, static_cast<off_t>(at));
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return 0;
  }
}

}  // namespace

// Appends one more piece to the buffer. False: the part has ended, or it could not be read, and error_ says why.
bool LineReader::fill() {
  buffer_.erase(0, used_);
  used_ = 0;
  const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, part_.size - read_to_));
  if (most == 0) return false;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + most);
  const std::size_t got = read_piece(part_.file.get(), buffer_.data() + before, most, read_to_);
  buffer_.resize(before + got);
  read_to_ += got;
  if (got == 0) {
    error_ = "cannot read " + escaped(part_.path) + ": " + (errno != 0 ? ::strerror(errno) : "it has become shorter");
  }
  return got > 0;
}

bool LineReader::next(RawLine& line) {
  line = {.number = ++number_, .at = at_};
  std::size_t searched = 0;
  std::size_t newline;
  std::uint64_t skipped = 0;  // how many bytes of a line that is too long are no longer in the buffer
  while ((newline = buffer_.find('\n', used_ + searched)) == std::string::npos) {
    searched = buffer_.size() - used_;
    // Keeps as many bytes of the line as a valid line may have, and only counts the others.
    if (searched > max_line) {
      buffer_.resize(used_ + max_line);
      skipped += searched - max_line;
      searched = max_line;
    }
    if (!fill()) break;
  }
  if (!error_.empty()) return false;
  line.closed = newline != std::string::npos;
  const std::size_t have = (line.closed ? newline : buffer_.size()) - used_;
  line.text = std::string_view(buffer_).substr(used_, have);
  line.size = have + skipped;
  used_ += have + (line.closed ? 1 : 0);
  at_ += line.size + (line.closed ? 1 : 0);
  return line.closed || line.size > 0;
}

bool read_range(const Part& part, std::uint64_t from, std::uint64_t to, Sha256& digest) {
  std::string piece(piece_size, '\0');
  while (from < to) {
    const std::size_t most = static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), to - from));
    const std::size_t got = read_piece(part.file.get(), piece.data(), most, from);
    if (got == 0) return false;
    digest.add(std::string_view(piece).substr(0, got));
    from += got;
  }
  return true;
}

}  // namespace wtool::host::audit
