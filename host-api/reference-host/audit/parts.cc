#include "audit/parts.h"

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

#include "tracing/escape.h"

namespace wtool::host::audit {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t fewest_digits = 12;
constexpr std::chrono::seconds max_wait{5};

std::string cannot_read(const std::string& path, const std::string& why) {
  return "cannot read the audit trail " + escaped(path) + ": " + why;
}

bool is_number(std::string_view text) {
  return text.size() >= fewest_digits &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool find_rotated(const fs::path& file, std::vector<Part>& parts, std::string& error) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string start = file.filename().string() + '.';
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(start) && is_number(std::string_view(name).substr(start.size()))) {
      parts.push_back({.path = file.string() + '.' + name.substr(start.size()), .name = name});
    }
  }
  if (failed) {
    error = cannot_read(file.string(), "its folder cannot be read: " + failed.message());
    return false;
  }
  // By number: a longer one is the greater.
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
  });
  return true;
}

bool lock_for_reading(int file) {
  const auto deadline = std::chrono::steady_clock::now() + max_wait;
  while (::flock(file, LOCK_SH | LOCK_NB) != 0) {
    // A file system without locks has no writers that hold one.
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
  // While its lock is held, nobody writes to FILE or rotates it.
  for (;;) {
    std::vector<Part> parts;
    Part newest{.path = file, .name = fs::path(file).filename().string(), .newest = true};
    if (const int failed = open_part(newest, error); failed != 0) {
      // Without the file, there may still be those that it was rotated to.
      std::string unused;
      if (failed != ENOENT || !find_rotated(file, parts, unused) || parts.empty()) return std::nullopt;
      return parts;
    }
    if (!lock_for_reading(newest.file.get())) {
      error = cannot_read(file, "another process has had its lock for " + std::to_string(max_wait.count()) +
                                    " s; look for one that is stopped (`lslocks` names it)");
      return std::nullopt;
    }
    if (!is_named(newest)) continue;  // Rotated between the two.
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

}  // namespace wtool::host::audit
