#include "warden/tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "system/descriptor.h"

namespace wtool::warden {

namespace {

// Reads a small file of /proc into `text`, NUL-terminated. False when it is not there (any more).
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

// The children that thread `thread` of `process` has, appended to `found`. False where the kernel has no such file.
bool read_children(pid_t process, pid_t thread, std::vector<pid_t>& found, std::vector<char>& text) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, thread);
  if (!read_file(path, text)) return false;
  const char* at = text.data();
  for (;;) {
    char* end = nullptr;
    const long number = std::strtol(at, &end, 10);
    if (end == at) break;
    found.push_back(static_cast<pid_t>(number));
    at = end;
  }
  return true;
}

// Every number that names an entry of the folder.
void read_numbers(const char* folder, std::vector<pid_t>& numbers) {
  numbers.clear();
  DIR* open_folder = ::opendir(folder);
  if (open_folder == nullptr) return;
  while (const dirent* entry = ::readdir(open_folder)) {
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') {
      numbers.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
    }
  }
  ::closedir(open_folder);
}

// The kernel's flag of a process that has begun to exit (include/linux/sched.h).
constexpr unsigned long pf_exiting = 0x4;

struct Status {
  char state = 'X';
  pid_t parent = 0;
  bool exiting = false;
  char name[name_size] = {};
};

// From /proc/PID/stat: "pid (name) state parent ...", where the name may hold anything, parentheses too.
bool read_status(pid_t process, Status& status, std::vector<char>& text) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", process);
  if (!read_file(path, text)) return false;
  const char* open = std::strchr(text.data(), '(');
  const char* close = std::strrchr(text.data(), ')');
  if (open == nullptr || close == nullptr || close < open || close[1] == '\0') return false;
  const std::size_t length = std::min<std::size_t>(static_cast<std::size_t>(close - open - 1), name_size - 1);
  std::memcpy(status.name, open + 1, length);
  status.name[length] = '\0';
  // state, parent, group, session, terminal, its foreground group, flags (proc(5)).
  unsigned long flags = 0;
  std::sscanf(close + 2, "%c %d %*d %*d %*d %*d %lu", &status.state, &status.parent, &flags);
  status.exiting = status.state == 'Z' || status.state == 'X' || (flags & pf_exiting) != 0;
  return true;
}

bool is_spared(const std::vector<pid_t>& spared, pid_t process) {
  return std::find(spared.begin(), spared.end(), process) != spared.end();
}

// For kernels without the `children` files: one pass over all processes, then their parents' order.
void collect_from_all(std::vector<pid_t>& members, const std::vector<pid_t>& spared) {
  struct Link {
    pid_t process, parent;
  };
  std::vector<pid_t> all;
  std::vector<char> text;
  std::vector<Link> links;
  read_numbers("/proc", all);
  for (const pid_t process : all) {
    Status status;
    if (read_status(process, status, text)) links.push_back({process, status.parent});
  }
  const pid_t self = ::getpid();
  std::size_t next = 0;
  for (pid_t parent = self;; parent = members[next++]) {
    for (const Link& link : links) {
      if (link.parent == parent && !(parent == self && is_spared(spared, link.process)))
        members.push_back(link.process);
    }
    if (next == members.size()) break;
  }
}

}  // namespace

void collect_tree(std::vector<pid_t>& members, const std::vector<pid_t>& spared) {
  members.clear();
  std::vector<char> text;
  std::vector<pid_t> threads;
  const pid_t self = ::getpid();
  if (!read_children(self, self, members, text)) {
    collect_from_all(members, spared);
    return;
  }
  std::erase_if(members, [&](pid_t process) { return is_spared(spared, process); });
  char folder[64];
  for (std::size_t next = 0; next < members.size(); ++next) {
    const pid_t process = members[next];
    std::snprintf(folder, sizeof folder, "/proc/%d/task", process);
    read_numbers(folder, threads);
    for (const pid_t thread : threads) read_children(process, thread, members, text);
  }
}

void ask_to_end(const std::vector<pid_t>& members) {
  for (const pid_t member : members) {
    ::kill(member, SIGTERM);
    ::kill(member, SIGCONT);
  }
}

void kill_members(const std::vector<pid_t>& members) {
  for (auto member = members.rbegin(); member != members.rend(); ++member) ::kill(*member, SIGKILL);
}

std::uint32_t name_living(const std::vector<pid_t>& members, NamedProcess* names) {
  std::uint32_t living = 0;
  std::vector<char> text;
  for (const pid_t process : members) {
    Status status;
    if (!read_status(process, status, text) || status.exiting) continue;
    if (living < max_named) {
      names[living].pid = process;
      std::memcpy(names[living].name, status.name, name_size);
    }
    ++living;
  }
  return living;
}

}  // namespace wtool::warden
