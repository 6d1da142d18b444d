#include "system/process_files.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.h"

namespace wtool {

namespace {

// The kernel's flag for a process that has begun to exit (include/linux/sched.h).
constexpr unsigned long pf_exiting = 0x4;

// Room for every file that is read here, if its lines are cut: they have about 1500 bytes.
constexpr std::size_t room = 4096;

// The longest line that is needed, which is the only one of the file stat, has about a thousand bytes.
constexpr std::size_t longest_line = 1536;

bool read_file_of(pid_t process, const char* name, char (&text)[room]) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", process, name);
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  return read_lines(file.get(), text, room) > 0;
}

// The number that follows `name`, which is "\nName:"; 0 if `text` does not contain it.
std::uint64_t number_after(const char* text, const char* name) {
  const char* found = std::strstr(text, name);
  return found == nullptr ? 0 : std::strtoull(found + std::strlen(name), nullptr, 10);
}

// Returns a thread of the process through which the process's memory can be read: the main thread, unless it has ended.
// A main thread that has ended shows no memory, even if the threads that still run use gigabytes.
pid_t thread_with_memory(pid_t process) {
  char path[64];
  char text[room];
  std::snprintf(path, sizeof path, "/proc/%d/task", process);
  pid_t found = process;
  for_each_number(path, [&](pid_t thread) {
    const bool has_memory = read_file_of(thread, "status", text) && memory_of(text).held_kib > 0;
    if (has_memory) found = thread;
    return !has_memory;
  });
  return found;
}

}  // namespace

std::size_t read_lines(int file, char* text, std::size_t size) {
  std::size_t used = 0;
  std::size_t line = 0;  // where the last line begins
  while (used < size - 1) {
    const ssize_t got = ::read(file, text + used, size - 1 - used);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const char* const end = text + used + got;
    for (const char* next = text + used; next != end; ++next) {
      if (*next != '\n' && used - line == longest_line) continue;
      text[used++] = *next;
      if (*next == '\n') line = used;
    }
  }
  text[used] = '\0';
  return used;
}

// /proc/PID/stat is "pid (name) state parent ...", where the name may contain anything, even parentheses.
bool read_status(pid_t process, ProcessStatus& status) {
  static const auto us_per_tick = 1'000'000ULL / static_cast<unsigned long long>(::sysconf(_SC_CLK_TCK));
  char text[room];
  if (!read_file_of(process, "stat", text)) return false;
  const char* open = std::strchr(text, '(');
  const char* close = std::strrchr(text, ')');
  if (open == nullptr || close == nullptr || close < open || close[1] == '\0') return false;
  const std::size_t length = std::min<std::size_t>(static_cast<std::size_t>(close - open - 1), name_size - 1);
  std::memcpy(status.name, open + 1, length);
  status.name[length] = '\0';
  // The fields, in the order of proc(5): state, parent, group, session, terminal, foreground group, flags, four counts
  // of page faults, the user and system times of the process and of its children, priority, nice value, number of
  // threads, an unused field, and the start time.
  unsigned long flags = 0;
  unsigned long long times[4] = {};
  long threads = 0;
  unsigned long long started = 0;
  std::sscanf(close + 2, "%c %d %*d %*d %*d %*d %lu %*u %*u %*u %*u %llu %llu %llu %llu %*d %*d %ld %*d %llu",
              &status.state, &status.parent, &flags, &times[0], &times[1], &times[2], &times[3], &threads, &started);
  status.started_ticks = started;
  const bool main_thread_over = status.state == 'Z' || status.state == 'X' || (flags & pf_exiting) != 0;
  status.exiting = main_thread_over && threads <= 1;
  status.cpu_us = (times[0] + times[1] + times[2] + times[3]) * us_per_tick;
  return true;
}

bool read_parent(pid_t process, int handle, pid_t& parent) {
  // PIDFD_GET_INFO (since Linux 6.13), defined here because the build's headers may be older.
  struct Info {
    std::uint64_t mask, cgroup;
    std::uint32_t process, group, parent, others[9];
  } info{.mask = 1, .cgroup = 0, .process = 0, .group = 0, .parent = 0, .others = {}};
  constexpr auto get_info = _IOWR(0xFF, 11, Info);
  if (::ioctl(handle, get_info, &info) == 0) {
    parent = static_cast<pid_t>(info.parent);
    return true;
  }
  ProcessStatus status;
  if (!read_status(process, status)) return false;
  parent = status.parent;
  return true;
}

ProcessMemory memory_of(const char* status) {
  return {.held_kib = number_after(status, "\nVmRSS:") + number_after(status, "\nVmSwap:"),
          .private_kib = number_after(status, "\nRssAnon:")};
}

// The file statm is shorter, but does not show swapped memory.
bool read_memory(pid_t process, ProcessMemory& memory) {
  char text[room];
  if (!read_file_of(process, "status", text)) return false;
  memory = memory_of(text);
  if (memory.held_kib > 0) return true;
  const pid_t thread = thread_with_memory(process);
  if (thread == process) return true;
  if (!read_file_of(thread, "status", text)) return false;
  memory = memory_of(text);
  return true;
}

bool read_memory_share(pid_t process, std::uint64_t& kib) {
  const pid_t thread = thread_with_memory(process);
  char text[room];
  if (read_file_of(thread, "smaps_rollup", text)) {
    kib = number_after(text, "\nPss_Anon:") + number_after(text, "\nPss_Shmem:") + number_after(text, "\nSwapPss:");
    return true;
  }
  if (!read_file_of(thread, "status", text)) return false;
  kib = number_after(text, "\nRssAnon:") + number_after(text, "\nRssShmem:") + number_after(text, "\nVmSwap:");
  return true;
}

pid_t read_tracer(pid_t process) {
  char text[room];
  return read_file_of(process, "status", text) ? static_cast<pid_t>(number_after(text, "\nTracerPid:")) : 0;
}

bool has_own_proc() {
  char number[16] = {};
  return ::readlink("/proc/self", number, sizeof number - 1) > 0 && std::atoi(number) == ::getpid();
}

}  // namespace wtool
