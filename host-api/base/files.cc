#include "base/files.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <list>

#include "base/calm_poll.h"
#include "base/open_resolving.h"

namespace wtool {

namespace {

void wait_for(int descriptor, short what) noexcept {
  pollfd ready{.fd = descriptor, .events = what, .revents = 0};
  calm_poll(&ready, 1, -1);
}

}  // namespace

Written write_all(int descriptor, std::string_view bytes) noexcept {
  Written written;
  while (written.bytes < bytes.size()) {
    const ssize_t now = ::write(descriptor, bytes.data() + written.bytes, bytes.size() - written.bytes);
    if (now > 0) {
      written.bytes += static_cast<std::size_t>(now);
    } else if (now < 0 && errno == EAGAIN) {
      wait_for(descriptor, POLLOUT);
    } else if (now == 0 || errno != EINTR) {
      written.error = now == 0 ? EIO : errno;
      break;
    }
  }
  return written;
}

int read_all(int descriptor, std::size_t limit, std::string& bytes) {
  std::array<char, 65536> piece;
  for (std::size_t total = 0;;) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got == 0) return 0;
    if (got > 0) {
      total += static_cast<std::size_t>(got);
      bytes.append(piece.data(), static_cast<std::size_t>(got));
      if (total > limit) return EFBIG;
    } else if (errno == EAGAIN) {
      // Nothing says when the bytes come that a file such as /proc/kmsg does not have yet.
      struct stat status {};
      if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return EAGAIN;
      wait_for(descriptor, POLLIN);
    } else if (errno != EINTR) {
      return errno;
    }
  }
}

// ---- Opening without links.

namespace {

namespace fs = std::filesystem;

constexpr int as_folder = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int max_links = 40;  // the kernel's own limit

bool is_of_the_kernel(const std::string& file) { return file.starts_with("/dev/") || file.starts_with("/proc/"); }

Descriptor step_into(const Descriptor& above, const std::string& name) {
  return Descriptor(::openat(above.get(), name.c_str(), as_folder));
}

std::string reason(int number, const fs::path& path) {
  std::error_code none;
  if (number == ENXIO && fs::is_fifo(path, none)) return "nobody reads this named pipe";
  if (!fs::is_symlink(path, none)) return ::strerror(number);
  const std::string real = fs::canonical(path, none).string();  // empty for a link whose target does not exist
  return path.string() + " is a symbolic link, which a command may have made; " +
         (none ? "remove it" : "remove it, or use the path " + real);
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

// Whether a command may have made a link in `folder`, whose own path has no links.
bool may_hold_links_of_commands(const fs::path& folder, const fs::path& working_directory) {
  struct stat status {};
  return is_below(folder, working_directory) || ::stat(folder.c_str(), &status) != 0 || (status.st_mode & S_IWOTH) != 0;
}

}  // namespace

std::string resolve_links_above(const std::string& file) {
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (failed || is_of_the_kernel(file)) return file;
  const fs::path path(file);
  fs::path seen = path.is_absolute() ? fs::path("/") : here;
  const fs::path folders = path.parent_path().relative_path();
  std::list<fs::path> rest(folders.begin(), folders.end());
  int links = 0;
  while (!rest.empty()) {
    const fs::path next = rest.front();
    const bool is_link = next != ".." && fs::is_symlink(seen / next, failed);
    // A link that a command may have made stays in the path, and is refused when the file is opened.
    if (is_link && (may_hold_links_of_commands(seen, here) || links == max_links)) break;
    rest.pop_front();
    if (next == "..") {
      seen = seen.parent_path();
    } else if (is_link) {
      ++links;
      const fs::path target = fs::read_symlink(seen / next, failed);
      if (target.is_absolute()) seen = "/";
      const fs::path parts = target.relative_path();
      rest.insert(rest.begin(), parts.begin(), parts.end());
    } else if (!next.empty() && next != ".") {
      seen /= next;
    }
  }
  for (const fs::path& part : rest) seen /= part;
  return links == 0 ? file : (seen / path.filename()).string();
}

Descriptor open_without_links(const std::string& file, int flags, mode_t mode, std::string& why) {
  if (is_of_the_kernel(file)) {
    Descriptor opened(::open(file.c_str(), flags | O_CLOEXEC, mode));
    if (!opened) why = ::strerror(errno);
    return opened;
  }
  const fs::path path(file);
  fs::path seen = path.is_absolute() ? "/" : "";
  Descriptor folder(::open(path.is_absolute() ? "/" : ".", as_folder));
  for (const auto& part : path.parent_path().relative_path()) {
    if (!folder) break;
    seen /= part;
    if (!part.empty()) folder = step_into(folder, part.string());
  }
  if (folder) seen = path;
  Descriptor opened(folder ? ::openat(folder.get(), path.filename().c_str(), flags | O_NOFOLLOW | O_CLOEXEC, mode)
                           : -1);
  if (!opened) why = reason(errno, seen);
  return opened;
}

namespace {

// Opens `path`, which is below the folder `here`, unless a link in it leads out of the folder. `rules`: further
// RESOLVE_ constants.
Descriptor open_below(const fs::path& here, const fs::path& path, int flags, std::uint64_t rules) {
  const Descriptor folder(::open(here.c_str(), as_folder));
  const std::string relative = path.lexically_relative(here).string();
  const std::uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | rules;
  Descriptor opened;
  // EAGAIN: something was renamed meanwhile, and the kernel could not tell whether the path stays in the folder.
  for (int tries = 0; !opened && (tries == 0 || (errno == EAGAIN && tries < 100)); ++tries) {
    opened = Descriptor(open_resolving(folder.get(), relative.c_str(), flags, resolve));
  }
  return opened;
}

}  // namespace

Descriptor open_for_reading(const std::string& file, std::string& why) {
  constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  std::error_code failed;
  const fs::path here = fs::current_path(failed);
  if (failed) {
    why = "the working directory cannot be found: " + failed.message();
    return {};
  }
  const fs::path path = (here / file).lexically_normal();
  Descriptor opened = is_below(path, here) ? open_below(here, path, flags, 0) : Descriptor(::open(file.c_str(), flags));
  if (!opened && errno == EXDEV && is_below(path, here)) {
    // The kernel refuses every absolute link, even if it stays in the folder.
    const fs::path real = fs::canonical(path, failed);
    if (failed || !is_below(real, here)) {
      why = "a symbolic link, which a command may have made, leads out of " + here.string();
      return {};
    }
    opened = open_below(here, real, flags, RESOLVE_NO_SYMLINKS);
  }
  if (!opened) why = ::strerror(errno);
  return opened;
}

Descriptor open_given(const std::string& file, std::string& why) {
  Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  struct statfs system {};
  if (!opened || ::fstat(opened.get(), &status) != 0 || ::fstatfs(opened.get(), &system) != 0) {
    why = ::strerror(errno);
    return {};
  }
  if (!S_ISFIFO(status.st_mode) || system.f_type == PIPEFS_MAGIC) return opened;
  why = "it is a named pipe, at which wtool would wait for a writer; use a file, or in bash `<(command)`";
  return {};
}

bool read_pieces(int descriptor, std::uint64_t bytes, const std::function<bool(std::string_view)>& take) {
  std::string piece(std::min<std::uint64_t>(bytes, 256UL * 1024), '\0');
  while (bytes > 0) {
    const ssize_t got = ::read(descriptor, piece.data(), std::min<std::uint64_t>(bytes, piece.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    if (!take(std::string_view(piece).substr(0, static_cast<std::size_t>(got)))) return true;
    bytes -= static_cast<std::uint64_t>(got);
  }
  return true;
}

std::string read_written(const std::string& file, std::uint64_t bytes,
                         const std::function<bool(std::string_view)>& take) {
  std::error_code failed;
  if (fs::symlink_status(file, failed).type() == fs::file_type::not_found) return "is gone";
  std::string why;
  const Descriptor opened = open_for_reading(file, why);
  if (!opened) return "cannot be opened: " + why;
  struct stat status {};
  const bool same_size = ::fstat(opened.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                         static_cast<std::uint64_t>(status.st_size) == bytes;
  return same_size && read_pieces(opened.get(), bytes, take) ? "" : "has changed since it was written";
}

std::string read_written(const std::string& file, std::uint64_t bytes, std::string& content) {
  return read_written(file, bytes, [&content](std::string_view piece) {
    content += piece;
    return true;
  });
}

Descriptor open_regular(const std::string& file, struct stat& status) {
  Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (!opened || ::fstat(opened.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return opened;
}

Descriptor open_regular(const std::string& file) {
  struct stat status {};
  return open_regular(file, status);
}

Descriptor make_folder_without_links(const std::string& base, const std::string& folder, mode_t mode, bool& made,
                                     std::string& why) {
  const fs::path path(folder);
  fs::path seen = base.empty() ? "." : base;
  Descriptor at(::open(seen.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  for (auto part = path.begin(); at && part != path.end(); ++part) {
    seen /= *part;
    const bool last = std::next(part) == path.end();
    made = ::mkdirat(at.get(), part->c_str(), last ? mode : mode | 0755) == 0;
    if (!made && errno != EEXIST) {
      why = reason(errno, seen);
      return {};
    }
    at = step_into(at, part->string());
  }
  if (!at) why = reason(errno, seen);
  return at;
}

std::error_code make_folders(const std::string& folder) {
  fs::path made;
  for (const fs::path& part : fs::path(folder)) {
    made /= part;
    if (::mkdir(made.c_str(), 0755) != 0 && errno != EEXIST) return {errno, std::generic_category()};
  }
  std::error_code failed;
  const bool is_there = fs::is_directory(made, failed);
  return is_there || failed ? failed : std::make_error_code(std::errc::not_a_directory);
}

}  // namespace wtool
