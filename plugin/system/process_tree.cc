#include "system/process_tree.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iterator>

#include "base/pidfd.h"
#include "system/process_files.h"

namespace wtool {

namespace {

// With this flag, the signal goes to the process's group (Linux 6.9; the headers for the build may be older).
constexpr unsigned pidfd_signal_process_group = 1U << 2;

bool kernel_has_children_files() {
  static const bool has = ::access("/proc/thread-self/children", F_OK) == 0;
  return has;
}

// Opens the list of the children of one thread.
Descriptor open_children(pid_t process, pid_t thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, thread);
  return Descriptor(::open(path, O_RDONLY | O_CLOEXEC));
}

// Reads `file`, a list of numbers, from its start, and calls visit(number) for each of them.
template <typename Visit>
void read_numbers(int file, Visit visit) {
  char text[4096];
  pid_t number = 0;
  bool within = false;
  ::lseek(file, 0, SEEK_SET);
  for (;;) {
    const ssize_t got = ::read(file, text, sizeof text);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t i = 0; i < got; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        number = number * 10 + (text[i] - '0');
        within = true;
      } else if (within) {
        visit(number);
        number = 0;
        within = false;
      }
    }
  }
  if (within) visit(number);
}

bool is_lower(const ProcessTree::Member& one, const ProcessTree::Member& other) { return one.process < other.process; }

}  // namespace

ProcessTree::ProcessTree(pid_t root, pid_t spared) : self_(::getpid()), root_(root), spared_(spared) {
  members_.reserve(most);
  asked_.reserve(most);
  killed_.reserve(most);
  if (root == self_) own_children_ = open_children(self_, self_);
}

void ProcessTree::add(pid_t process, pid_t parent) {
  if (members_.size() == most) return;
  if (parent == root_ && spared_ != no_session && ::getsid(process) == spared_) return;
  members_.push_back({process, parent});
}

bool ProcessTree::read_children(pid_t process, pid_t thread, int file) {
  Descriptor opened;
  if (file < 0) {
    opened = open_children(process, thread);
    file = opened.get();
  }
  if (file < 0) return false;
  read_numbers(file, [&](pid_t child) { add(child, process); });
  return true;
}

bool ProcessTree::collect() {
  if (!own_children_ && !kernel_has_children_files()) return collect_from_all();
  members_.clear();
  char folder[64];
  bool seen = own_children_ && read_children(self_, self_, own_children_.get());
  if (!own_children_) {
    std::snprintf(folder, sizeof folder, "/proc/%d/task", root_);
    for_each_number(folder, [&](pid_t thread) { return read_children(root_, thread, -1) ? (seen = true) : true; });
  }
  for (std::size_t next = 0; next < members_.size(); ++next) {
    const pid_t process = members_[next].process;
    std::snprintf(folder, sizeof folder, "/proc/%d/task", process);
    for_each_number(folder, [&](pid_t thread) {
      read_children(process, thread, -1);
      return true;
    });
  }
  return seen;
}

// Each pass reads all processes and adds the children of those that the previous pass has added. /proc lists processes
// by number, and a child usually has a greater number than its parent, so a pass usually also adds everything below its
// new members. The next pass then adds nothing and is the last. At worst, each level needs its own pass.
bool ProcessTree::collect_from_all() {
  members_.clear();
  std::size_t from = 0, to = 0;  // [from, to): what the previous pass has added, sorted by number
  const auto is_in = [&](std::size_t begin, std::size_t end, pid_t process) {
    const auto at = [&](std::size_t index) { return members_.begin() + static_cast<std::ptrdiff_t>(index); };
    return std::binary_search(at(begin), at(end), Member{process, 0}, is_lower);
  };
  do {
    const bool is_first = to == 0;
    const bool seen = for_each_number("/proc", [&](pid_t process) {
      ProcessStatus status;
      if (!read_status(process, status)) return true;
      const pid_t parent = status.parent;
      const bool is_next = is_first ? parent == root_ : is_in(from, to, parent);
      // A parent that this pass has added is considered only if its number is lower than the child's: the parent then
      // stays before the child when the additions are sorted.
      const bool is_below = parent < process && is_in(to, members_.size(), parent);
      if ((is_next || is_below) && !is_in(from, to, process)) add(process, parent);
      return true;
    });
    if (is_first && !seen) return false;
    // The additions are already in order, unless the kernel does not list processes by number.
    std::sort(members_.begin() + static_cast<std::ptrdiff_t>(to), members_.end(), is_lower);
    from = to;
    to = members_.size();
  } while (from < to);
  return true;
}

bool ProcessTree::Groups::has(pid_t group) const {
  return std::find(std::begin(groups_), std::end(groups_), group) != std::end(groups_);
}

void ProcessTree::Groups::add(pid_t group) { groups_[count_++ % std::size(groups_)] = group; }

// Returns whether all signals were sent.
bool ProcessTree::signal(const Member& member, std::initializer_list<int> signals, Groups* groups) const {
  const auto all_sent = [&](auto send) {
    bool sent = true;
    for (const int signal : signals) sent = send(signal) && sent;
    return sent;
  };
  // A process whose group this pass has already signalled needs no further signal. That is wrong only for a process
  // that has just moved to such a group.
  const pid_t group = groups != nullptr ? ::getpgid(member.process) : 0;
  if (group > 1 && groups->has(group)) return true;
  if (member.parent == self_) {
    // Signals the child's whole group with one call. A group does not cross sessions and every command has its own
    // session, so the group has no unrelated processes. The exception is a child that has not called setsid yet, and is
    // still in our group.
    if (group > 1 && group != ::getpgrp() && all_sent([&](int signal) { return ::kill(-group, signal) == 0; })) {
      groups->add(group);
    }
    return all_sent([&](int signal) { return ::kill(member.process, signal) == 0; });
  }
  const Descriptor handle = open_process(member.process);
  pid_t parent = 0;
  if (!handle || !read_parent(member.process, handle.get(), parent)) return false;
  // The handle was opened before the parent was read. If the process number had been reused before the handle was
  // opened, the handle's process would have a different parent. If only the parent has died, the new parent is a
  // subreaper: the root of the tree, this process, or a member.
  const auto is_parent = [&](const Member& other) { return other.process == parent; };
  if (parent != member.parent && parent != root_ && parent != self_ &&
      std::none_of(members_.begin(), members_.end(), is_parent)) {
    return false;
  }
  const auto send = [&](unsigned scope) {
    return all_sent(
        [&](int signal) { return ::syscall(SYS_pidfd_send_signal, handle.get(), signal, nullptr, scope) == 0; });
  };
  if (groups != nullptr && send(pidfd_signal_process_group)) groups->add(group);
  return send(0);
}

bool ProcessTree::ask_to_end() {
  bool asked = false;
  const std::size_t known = asked_.size();
  for (const Member& member : members_) {
    if (std::binary_search(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(known), member.process)) {
      continue;
    }
    asked = true;
    signal(member, {SIGTERM, SIGCONT}, nullptr);
    if (asked_.size() < most) asked_.push_back(member.process);
  }
  std::sort(asked_.begin(), asked_.end());
  return asked;
}

void ProcessTree::stop() {
  for (int round = 0; round < 50; ++round) {
    bool any = false;
    Groups groups;
    collect();
    for (const Member& member : members_) {
      ProcessStatus status;
      if (!read_status(member.process, status) || status.exiting || status.state == 'T') continue;
      any = signal(member, {SIGSTOP}, &groups) || any;
    }
    if (!any) return;
  }
}

bool ProcessTree::kill() {
  Groups groups;
  bool news = false;
  for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
    signal(*member, {SIGKILL}, &groups);
    news = news || !std::binary_search(killed_.begin(), killed_.end(), member->process);
  }
  killed_.clear();
  for (const Member& member : members_) killed_.push_back(member.process);
  std::sort(killed_.begin(), killed_.end());
  return news;
}

void ProcessTree::kill_member(pid_t process) const {
  for (const Member& member : members_) {
    if (member.process == process) signal(member, {SIGKILL}, nullptr);
  }
}

std::uint32_t ProcessTree::name_living(NamedProcess* names) const {
  std::uint32_t living = 0;
  for (const Member& member : members_) {
    ProcessStatus status;
    if (!read_status(member.process, status) || status.exiting) continue;
    if (living < max_named) {
      names[living].pid = member.process;
      std::memcpy(names[living].name, status.name, name_size);
    }
    ++living;
  }
  return living;
}

namespace {

// Calls visit(child) for each child of `process`, which has one thread.
template <typename Visit>
void for_each_child(pid_t process, Visit visit) {
  if (kernel_has_children_files()) {
    const Descriptor file = open_children(process, process);
    if (file) read_numbers(file.get(), visit);
    return;
  }
  for_each_number("/proc", [&](pid_t other) {
    ProcessStatus status;
    if (read_status(other, status) && status.parent == process) visit(other);
    return true;
  });
}

}  // namespace

void continue_vfork_child(pid_t process) {
  ProcessStatus status;
  if (!read_status(process, status) || status.state != 'D') return;
  for_each_child(process, [&](pid_t child) {
    const Descriptor handle = open_process(child);
    ProcessStatus its;
    if (!handle || !read_status(child, its) || its.parent != process || its.state != 'T') return;
    if (std::strcmp(its.name, status.name) != 0) return;
    ::syscall(SYS_pidfd_send_signal, handle.get(), SIGCONT, nullptr, 0U);
  });
}

void continue_vfork_children_below(pid_t process) { for_each_child(process, continue_vfork_child); }

}  // namespace wtool
