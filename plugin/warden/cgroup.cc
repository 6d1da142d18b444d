#include "warden/cgroup.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/listing.h"

namespace wtool::warden {

namespace {

constexpr const char* prefix = "wtool-";
// How many levels of cgroups below a call's cgroup are removed: more than anybody needs, and few enough for our stack.
constexpr int deepest = 16;

// The number after "key " at the start of a line of a small file; 0 when no line has the key. If the file no longer
// exists (the command left its cgroup and removed it), closes the descriptor: poll would report events on it forever.
std::uint64_t read_count(Descriptor& file, const char* key) {
  char text[512];
  const ssize_t got = file ? ::pread(file.get(), text, sizeof text - 1, 0) : -1;
  if (got < 0) file.reset();
  if (got <= 0) return 0;
  text[got] = '\0';
  const std::size_t length = std::strlen(key);
  for (const char* line = text; line != nullptr; line = std::strchr(line, '\n')) {
    if (*line == '\n') ++line;
    if (std::strncmp(line, key, length) == 0 && line[length] == ' ') return std::strtoull(line + length, nullptr, 10);
  }
  return 0;
}

Descriptor open_in(const Descriptor& directory, const char* file, int flags) {
  return Descriptor(::openat(directory.get(), file, flags | O_CLOEXEC));
}

template <typename Visit>
void for_each_directory(int folder, Visit visit) {
  const Listing entries = list_folder(Descriptor(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)));
  if (!entries) return;
  while (const dirent* entry = ::readdir(entries.get())) {
    if (entry->d_type == DT_DIR && std::strcmp(entry->d_name, ".") != 0 && std::strcmp(entry->d_name, "..") != 0) {
      visit(entry->d_name);
    }
  }
}

// Removes a cgroup and those inside it. The kernel's own files in a cgroup disappear with it. A cgroup that has
// processes stays.
void remove_with_inner(int parent, const char* name, int depth = 0) {
  if (::unlinkat(parent, name, AT_REMOVEDIR) == 0 || depth == deepest) return;
  const Descriptor directory(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory) return;
  for_each_directory(directory.get(), [&](const char* inner) { remove_with_inner(directory.get(), inner, depth + 1); });
  ::unlinkat(parent, name, AT_REMOVEDIR);
}

}  // namespace

bool Cgroup::make(std::uint64_t call, const ProtocolLimits& limits) {
  remove();
  if (base_ < 0) return false;
  std::snprintf(name_, sizeof name_, cgroup_name_format, static_cast<int>(::getpid()),
                static_cast<unsigned long long>(call));
  if (::mkdirat(base_, name_, 0755) != 0) {
    name_[0] = '\0';
    return false;
  }
  return use(Descriptor(::openat(base_, name_, O_RDONLY | O_DIRECTORY | O_CLOEXEC)), limits);
}

bool Cgroup::use(Descriptor directory, const ProtocolLimits& limits) {
  directory_ = std::move(directory);
  if (set_limits(limits)) return true;
  remove();
  return false;
}

bool Cgroup::set_limits(const ProtocolLimits& limits) {
  if (!directory_) return false;
  if (limits.memory_bytes != 0) {
    // With swap, the tree could use more memory than the limit, so it gets no swap. Kernels without swap do not have
    // this file.
    if (!write("memory.swap.max", 0) && errno != ENOENT) return false;
    // The kernel must kill the whole tree (memory.oom.group), since a tree that lacks one process may hang.
    if (!write("memory.max", limits.memory_bytes) || !write("memory.oom.group", 1)) return false;
    memory_events_ = open_in(directory_, "memory.events.local", O_RDONLY);
    if (!memory_events_) return false;
  }
  max_processes_ = limits.processes;
  if (limits.processes != 0) {
    if (!write("pids.max", limits.processes)) return false;
    process_events_ = open_in(directory_, "pids.events", O_RDONLY);
    if (!process_events_) return false;
  }
  exceeded();  // An events file polls ready until it is first read, so read it once.
  return true;
}

bool Cgroup::write(const char* file, std::uint64_t value) const {
  const Descriptor opened = open_in(directory_, file, O_WRONLY);
  char text[24];
  const int size = std::snprintf(text, sizeof text, "%" PRIu64, value);
  return opened && ::write(opened.get(), text, static_cast<std::size_t>(size)) == size;
}

std::uint64_t Cgroup::read(const char* file) const {
  const Descriptor opened = open_in(directory_, file, O_RDONLY);
  char text[24] = {};
  return opened && ::read(opened.get(), text, sizeof text - 1) > 0 ? std::strtoull(text, nullptr, 10) : 0;
}

Limit Cgroup::exceeded() {
  // "oom" counts only how often this limit was reached. "oom_kill" also counts processes killed because the machine or
  // a cgroup above ran out of memory, and misses processes that oom_score_adj protects.
  if (read_count(memory_events_, "oom") > 0) return Limit::memory_bytes;
  if (read_count(process_events_, "max") > 0) {
    // Kernels before 6.11 also count here what a cgroup above has refused. From 6.1 on, kernels report the peak, which
    // shows whether this limit was reached.
    const std::uint64_t most = read("pids.peak");
    if (most == 0 || most >= max_processes_) return Limit::processes;
  }
  return Limit::none;
}

std::uint64_t Cgroup::cpu_us() const {
  Descriptor file = directory_ ? open_in(directory_, "cpu.stat", O_RDONLY) : Descriptor();
  return read_count(file, "usage_usec");
}

void Cgroup::kill() const {
  if (directory_) write("cgroup.kill", 1);
}

void Cgroup::remove() {
  directory_.reset();
  memory_events_.reset();
  process_events_.reset();
  if (name_[0] == '\0') return;
  remove_with_inner(base_, name_);
  name_[0] = '\0';
}

void remove_stale_cgroups(int base) {
  if (base < 0) return;
  for_each_directory(base, [&](const char* name) {
    int owner = 0, end = 0;
    std::uint64_t call = 0;
    if (std::strncmp(name, prefix, std::strlen(prefix)) != 0) return;
    // %n: the whole name must match.
    if (std::sscanf(name + std::strlen(prefix), "%d-%" SCNu64 "%n", &owner, &call, &end) != 2) return;
    if (name[std::strlen(prefix) + static_cast<std::size_t>(end)] != '\0' || owner <= 0) return;
    if (::kill(owner, 0) != 0 && errno == ESRCH) remove_with_inner(base, name);
  });
}

}  // namespace wtool::warden
