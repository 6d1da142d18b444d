#include "warden/tree.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "warden/process_files.h"

namespace wtool::warden {

namespace {

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
    ProcessStatus status;
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

// The kernel signals a whole process group at once: none of it can fork its way out meanwhile. Groups do not cross
// sessions, and every command has a session of its own, so that a member's group has nobody else in it; but for one
// that has not come as far as its setsid, and is still in ours.
void signal_groups(const std::vector<pid_t>& members, int signal) {
  std::vector<pid_t> groups;
  const pid_t ours = ::getpgrp();
  for (const pid_t member : members) {
    const pid_t group = ::getpgid(member);
    if (group > 1 && group != ours && (groups.empty() || group != groups.back())) groups.push_back(group);
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  for (const pid_t group : groups) ::kill(-group, signal);
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

void stop_tree(std::vector<pid_t>& members) {
  std::vector<pid_t> stopped;  // Sorted.
  for (int round = 0; round < 50; ++round) {
    std::vector<pid_t> fresh;
    for (const pid_t member : members) {
      if (!std::binary_search(stopped.begin(), stopped.end(), member)) fresh.push_back(member);
    }
    if (fresh.empty() && round > 0) return;
    signal_groups(fresh, SIGSTOP);
    for (const pid_t member : fresh) ::kill(member, SIGSTOP);
    stopped.insert(stopped.end(), fresh.begin(), fresh.end());
    std::sort(stopped.begin(), stopped.end());
    collect_tree(members, {});
  }
}

void kill_members(const std::vector<pid_t>& members) {
  signal_groups(members, SIGKILL);
  for (auto member = members.rbegin(); member != members.rend(); ++member) ::kill(*member, SIGKILL);
}

std::uint32_t name_living(const std::vector<pid_t>& members, NamedProcess* names) {
  std::uint32_t living = 0;
  std::vector<char> text;
  for (const pid_t process : members) {
    ProcessStatus status;
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
