#include "engine/cgroup.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

#include "base/calm_poll.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "warden/protocol.h"

namespace wtool::engine {

namespace {

// Empty: the file cannot be read.
std::string read_text(const std::string& path) {
  constexpr std::size_t limit = 16UL << 20;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  if (!file || read_all(file.get(), limit, text) != 0) return {};
  return text;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto words = split(text.substr(0, text.find('\n')), ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Undoes the escapes of mountinfo, which writes blanks and backslashes as a backslash with three octal digits.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view digits = text.substr(at + 1, 3);
    if (text[at] == '\\' && digits.size() == 3 && digits.find_first_not_of("01234567") == std::string_view::npos) {
      plain += static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
      at += 3;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

// The path in the hierarchy of version 2, from the line "0::/path". Nothing: there is no such line, or the path is not
// visible ("/../x": the process is outside its own cgroup namespace).
std::optional<std::string> own_path(std::string_view membership) {
  for (const std::string_view line : split(membership, '\n')) {
    if (!line.starts_with("0::/")) continue;
    const std::string_view path = line.substr(3);
    if (path.starts_with("/..")) return std::nullopt;
    return std::string(path == "/" ? "" : path);
  }
  return std::nullopt;
}

// The part of `path` after `root`. Neither path ends with a slash. Nothing: `path` is neither `root` nor below it.
std::optional<std::string> below(const std::string& root, const std::string& path) {
  if (!path.starts_with(root)) return std::nullopt;
  const std::string rest = path.substr(root.size());
  if (!rest.empty() && rest.front() != '/') return std::nullopt;
  return rest;
}

bool hands_on_both(const std::string& directory) {
  const std::string controllers = read_text(directory + "/cgroup.subtree_control");
  return has_word(controllers, "memory") && has_word(controllers, "pids");
}

bool is_ours_to_use(const std::string& directory) {
  // Moving a process requires the right to write to cgroup.procs in the nearest cgroup above both its old cgroup and
  // its new one.
  return ::faccessat(AT_FDCWD, directory.c_str(), W_OK | X_OK, AT_EACCESS) == 0 &&
         ::faccessat(AT_FDCWD, (directory + "/cgroup.procs").c_str(), W_OK, AT_EACCESS) == 0;
}

}  // namespace

// A line of mountinfo: number, parent, device, root, mount point, options, any number of tags, "-", type, source,
// options (proc(5)). The mount shows `root` of the hierarchy, and what is below it, at the mount point.
std::vector<std::string> cgroup_directories(std::string_view mounts, std::string_view membership) {
  const auto path = own_path(membership);
  if (!path) return {};
  for (const std::string_view line : split(mounts, '\n')) {
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 6 || fields.end() - dash < 2 || dash[1] != "cgroup2") continue;
    const std::string root = fields[3] == "/" ? std::string() : unescape(fields[3]);
    auto inner = below(root, *path);
    if (!inner) continue;
    const std::string mount_point = unescape(fields[4]);
    std::vector<std::string> directories;
    for (;; inner->resize(inner->rfind('/'))) {
      directories.push_back(mount_point + *inner);
      if (inner->empty()) return directories;
    }
  }
  return {};
}

std::string choose_cgroup_base(const std::vector<std::string>& directories) {
  const auto found = std::find_if(directories.begin(), directories.end(), [](const std::string& directory) {
    return hands_on_both(directory) && is_ours_to_use(directory);
  });
  return found == directories.end() ? std::string() : *found;
}

Descriptor open_cgroup_base() {
  const std::string path =
      choose_cgroup_base(cgroup_directories(read_text("/proc/self/mountinfo"), read_text("/proc/self/cgroup")));
  if (path.empty()) return {};
  Descriptor base(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Another file system may be mounted over the folder that mountinfo names.
  struct statfs system {};
  if (!base || ::fstatfs(base.get(), &system) != 0 || system.f_type != CGROUP2_SUPER_MAGIC) return {};
  return base;
}

bool kill_cgroup(int base, pid_t custodian, std::uint64_t call) {
  char name[64];
  std::snprintf(name, sizeof name, warden::cgroup_name_format, static_cast<int>(custodian),
                static_cast<unsigned long long>(call));
  const Descriptor cgroup(base < 0 ? -1 : ::openat(base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!cgroup) return false;
  const Descriptor kill(::openat(cgroup.get(), "cgroup.kill", O_WRONLY | O_CLOEXEC));
  const Descriptor events(::openat(cgroup.get(), "cgroup.events", O_RDONLY | O_CLOEXEC));
  if (!kill || !events || ::write(kill.get(), "1", 1) != 1) return false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (;;) {
    char text[256] = {};
    if (::pread(events.get(), text, sizeof text - 1, 0) <= 0) return false;
    if (std::string_view(text).find("populated 0") != std::string_view::npos) return true;
    if (std::chrono::steady_clock::now() >= end) return false;
    pollfd news{events.get(), POLLPRI, 0};
    calm_poll(&news, 1, 20);
  }
}

}  // namespace wtool::engine
