#include "warden/process_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "system/descriptor.h"

namespace wtool::warden {

namespace {

// The kernel's flag of a process that has begun to exit (include/linux/sched.h).
constexpr unsigned long pf_exiting = 0x4;

bool read_file_of(pid_t process, const char* name, std::vector<char>& text) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/%s", process, name);
  return read_file(path, text);
}

// The number behind "Name:" at the start of a line, or 0.
std::uint64_t number_after(const std::vector<char>& text, const char* name) {
  const char* found = std::strstr(text.data(), name);
  return found == nullptr ? 0 : std::strtoull(found + std::strlen(name), nullptr, 10);
}

}  // namespace

bool read_file(const char* path, std::vector<char>& text) {
  const Descriptor file(::open(path, O_RDONLY | O_CLOEXEC));
  if (!file) return false;
  text.resize(4096);
  std::size_t used = 0;
  for (;;) {
    if (used + 1 >= text.size()) text.resize(text.size() * 2);
    const ssize_t got = ::read(file.get(), text.data() + used, text.size() - used - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
  }
  text[used] = '\0';
  return true;
}

// "pid (name) state parent ...", where the name may hold anything, parentheses too.
bool read_status(pid_t process, ProcessStatus& status, std::vector<char>& text) {
  static const auto us_per_tick = 1'000'000ULL / static_cast<unsigned long long>(::sysconf(_SC_CLK_TCK));
  if (!read_file_of(process, "stat", text)) return false;
  const char* open = std::strchr(text.data(), '(');
  const char* close = std::strrchr(text.data(), ')');
  if (open == nullptr || close == nullptr || close < open || close[1] == '\0') return false;
  const std::size_t length = std::min<std::size_t>(static_cast<std::size_t>(close - open - 1), name_size - 1);
  std::memcpy(status.name, open + 1, length);
  status.name[length] = '\0';
  // state, parent, group, session, terminal, its foreground group, flags, four counts of faults, and the times: user
  // and system, its own and its children's (proc(5)).
  unsigned long flags = 0;
  unsigned long long times[4] = {};
  std::sscanf(close + 2, "%c %d %*d %*d %*d %*d %lu %*u %*u %*u %*u %llu %llu %llu %llu", &status.state, &status.parent,
              &flags, &times[0], &times[1], &times[2], &times[3]);
  status.exiting = status.state == 'Z' || status.state == 'X' || (flags & pf_exiting) != 0;
  status.cpu_us = (times[0] + times[1] + times[2] + times[3]) * us_per_tick;
  return true;
}

// "size resident shared ...", in pages (proc(5), statm).
bool read_memory(pid_t process, ProcessMemory& memory, std::vector<char>& text) {
  static const auto kib_per_page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) / 1024;
  if (!read_file_of(process, "statm", text)) return false;
  unsigned long long resident = 0, shared = 0;
  if (std::sscanf(text.data(), "%*u %llu %llu", &resident, &shared) != 2) return false;
  memory.resident_kib = resident * kib_per_page;
  memory.private_kib = (resident - std::min(resident, shared)) * kib_per_page;
  return true;
}

bool read_memory_share(pid_t process, std::uint64_t& kib, std::vector<char>& text) {
  if (!read_file_of(process, "smaps_rollup", text)) return false;
  kib = number_after(text, "\nPss_Anon:") + number_after(text, "\nPss_Shmem:") + number_after(text, "\nSwapPss:");
  return true;
}

}  // namespace wtool::warden
