#include "audit/append.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "audit/reader.h"
#include "base/audit_trail.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/utf8.h"

namespace wtool::host::audit {

namespace {

using wtool::audit::cut_with_note;
using wtool::audit::last_link;
using wtool::audit::Link;
using wtool::audit::make_line;
using wtool::audit::rename_aside;
using wtool::audit::rotated_line;
using wtool::audit::rotated_name;
using wtool::audit::TrailLine;

constexpr std::chrono::milliseconds max_lock_wait{5000};
constexpr std::size_t max_text = 8192;  // bytes

// Opens the trail and locks it. An empty descriptor: `why` says what is wrong, and what to do.
Descriptor locked_trail(const std::string& path, std::string& why) {
  const auto deadline = std::chrono::steady_clock::now() + max_lock_wait;
  while (true) {
    Descriptor file =
        open_without_links(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600, why);
    if (!file) return {};
    struct stat ours {};
    if (::fstat(file.get(), &ours) != 0 || !S_ISREG(ours.st_mode)) {
      why = "it is not a regular file; remove it, or name another file as audit.file";
      return {};
    }
    while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if ((errno != EWOULDBLOCK && errno != EINTR) || std::chrono::steady_clock::now() >= deadline) {
        why = "its lock cannot be taken; look for a stopped process that holds it (`lslocks` shows it)";
        return {};
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    // If another process has rotated the file meanwhile, the opened file must get no further lines.
    struct stat named {};
    if (::lstat(path.c_str(), &named) == 0 && named.st_dev == ours.st_dev && named.st_ino == ours.st_ino) return file;
    if (std::chrono::steady_clock::now() >= deadline) {
      why = "it is replaced faster than it can be locked; look for the program that removes or renames it";
      return {};
    }
  }
}

// What an empty file begins with: the line `rotated` if the file continues a trail, and no text if it is the first
// file. A plugin that rotates a trail first renames the file, and then locks the new file and writes the line
// `rotated`. Until then, or if the plugin was killed before that, the line is missing.
std::optional<TrailLine> beginning_of(const std::string& path, std::string& why) {
  auto parts = find_rotated_parts(path, why);
  if (!parts) return std::nullopt;
  if (parts->empty()) return TrailLine{};
  Part& part = parts->back();
  if (open_part(part, why) != 0) return std::nullopt;
  struct stat status {};
  const auto link = ::fstat(part.file.get(), &status) == 0
                        ? last_link(part.file.get(), static_cast<std::uint64_t>(status.st_size))
                        : std::nullopt;
  if (!link) {
    why = part.path + " should contain the earlier lines, but its last line is not complete; move this file away";
    return std::nullopt;
  }
  return rotated_line(part.name, *link);
}

std::string cut(const std::string& text) {
  if (text.size() <= max_text) return text;
  const std::size_t end = cut_after(text, max_text);
  return end == text.size() ? text : cut_with_note(text, end);
}

std::string line_of(const Link& last, std::string_view event, const nlohmann::ordered_json& fields) {
  nlohmann::ordered_json shortened = fields;
  for (auto& value : shortened) {
    if (value.is_string()) value = cut(value.get_ref<const std::string&>());
  }
  return make_line(std::chrono::system_clock::now(), event, shortened, last).text;
}

// Syncs the file's folder, so that the file's name survives a power failure. Returns why that failed; empty: it
// succeeded.
std::string sync_name(const std::string& file) {
  std::string why;
  const Descriptor opened = open_without_links(parent_of(file), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, why);
  if (!opened) return "its folder cannot be opened: " + why;
  return ::fsync(opened.get()) == 0 ? "" : std::string("its folder cannot be synchronised: ") + ::strerror(errno);
}

// Opens and locks the trail, and makes it and its folder if they are missing. `made_folder` becomes the path of the
// folder if it was made. An empty descriptor: `why` says what is wrong, and what to do.
Descriptor open_trail(const std::string& path, std::string& made_folder, std::string& why) {
  const std::size_t slash = path.rfind('/');
  const std::size_t above = path.rfind('/', slash == 0 ? 0 : slash - 1);
  if (slash != std::string::npos && slash != above && ::access(path.substr(0, slash).c_str(), F_OK) != 0) {
    bool made = false;
    const Descriptor folder =
        make_folder_without_links(path.substr(0, above), path.substr(above + 1, slash - above - 1), 0700, made, why);
    if (!folder) {
      why = "its folder cannot be created: " + why;
      return {};
    }
    if (made) made_folder = path.substr(0, slash);
  }
  return locked_trail(path, why);
}

// Writes at the end of the file, which has `size` bytes. Returns why that failed; empty: it succeeded.
std::string write_lines(const AppendOptions& options, int file, std::uint64_t size, const std::string& lines) {
  // Like the plugin, this syncs the name before the first line is written: as soon as the file has a line, other
  // processes add theirs without syncing the name.
  if (size == 0 && options.sync_data) {
    if (std::string why = sync_name(options.file); !why.empty()) return why;
  }
  const auto [done, failed] = write_all(file, lines);
  if (failed != 0) {
    // A part of a line must not stay in the trail.
    if (done > 0 && ::ftruncate(file, static_cast<off_t>(size)) != 0) {
    }
    return std::string(::strerror(failed)) + "; make room for it, or name another file as audit.file";
  }
  if (options.sync_data && ::fsync(file) != 0) return std::string("it cannot be synchronised: ") + ::strerror(errno);
  return {};
}

// Renames the file, whose last line has the number `last_seq`. Returns why that failed; empty: it succeeded.
std::string rotate(const AppendOptions& options, int file, std::uint64_t last_seq) {
  // Without this sync, the new file could exist after a loss of power, while the end of the old file is missing.
  if (options.sync_data && ::fdatasync(file) != 0)
    return std::string("it cannot be synchronised: ") + ::strerror(errno);
  const std::size_t slash = options.file.rfind('/') + 1;
  const std::string name = options.file.substr(slash);
  const std::string aside = rotated_name(name, last_seq);
  std::string why;
  const Descriptor folder = open_without_links(parent_of(options.file), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, why);
  if (!folder) return "its folder cannot be opened: " + why;
  if (rename_aside(folder.get(), name, aside)) return {};
  return "it has reached audit.max_bytes, but cannot be renamed to " + options.file.substr(0, slash) + aside + ": " +
         ::strerror(errno);
}

// Removes the oldest rotated files, so that only as many are left as the configuration says. The caller holds the lock
// of the trail. A file that cannot be removed stays until the next rotation.
void remove_oldest(const AppendOptions& options) {
  if (options.keep == 0) return;
  std::string unused;
  const auto parts = find_rotated_parts(options.file, unused);
  if (!parts) return;
  for (std::size_t i = 0; i + options.keep < parts->size(); ++i) ::unlink((*parts)[i].path.c_str());
}

std::string append_line(const AppendOptions& options, std::string_view event, const nlohmann::ordered_json& fields) {
  std::string why, made_folder;
  // This is a loop, because other processes may fill the new file before it is locked again.
  for (bool has_rotated = false;;) {
    const Descriptor file = open_trail(options.file, made_folder, why);
    if (!file) return why;
    struct stat status {};
    if (::fstat(file.get(), &status) != 0) return ::strerror(errno);
    const auto size = static_cast<std::uint64_t>(status.st_size);
    std::optional<TrailLine> before;  // the line before ours; `text` is not empty if that line must be written, too
    if (size == 0) {
      before = beginning_of(options.file, why);
    } else if (auto link = last_link(file.get(), size)) {
      before = TrailLine{"", std::move(*link)};
    }
    if (!before) {
      return why.empty()
                 ? "its last line is torn, or it is not a trail; a torn line is repaired by the next call of a tool, "
                   "such as `wtool call shell_execute '{\"command\": \"true\"}'`"
                 : why;
    }
    const std::string line = line_of(before->link, event, fields);
    if (options.max_bytes > 0 && size > 0 && size + line.size() > options.max_bytes) {
      if (why = rotate(options, file.get(), before->link.seq); !why.empty()) return why;
      has_rotated = true;
      continue;
    }
    why = write_lines(options, file.get(), size, before->text + line);
    if (why.empty() && has_rotated) remove_oldest(options);
    return why;
  }
}

std::string cannot_be_written(const AppendOptions& options, const std::string& why) {
  return why.empty() ? why : "the audit trail " + options.file + " cannot be written: " + why;
}

}  // namespace

std::string append(const AppendOptions& options, std::string_view event, const nlohmann::ordered_json& fields) {
  if (options.file.empty()) return {};
  return cannot_be_written(options, append_line(options, event, fields));
}

std::string try_to_open(const AppendOptions& options) {
  if (options.file.empty()) return {};
  struct stat status {};
  const bool existed = ::lstat(options.file.c_str(), &status) == 0;
  std::string why, made_folder;
  const Descriptor file = open_trail(options.file, made_folder, why);
  // Nobody else can have written a line, because this process has the lock. Who waits for the lock opens the file again.
  if (file && !existed && ::fstat(file.get(), &status) == 0 && status.st_size == 0) ::unlink(options.file.c_str());
  if (!made_folder.empty()) ::rmdir(made_folder.c_str());
  return cannot_be_written(options, why);
}

}  // namespace wtool::host::audit
