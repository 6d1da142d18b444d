// Processes as /proc shows them: to find what a command left behind, and to wait until something is gone.
//
// A test marks its commands with a unique word (Mark), in their environment or on their command line, and afterwards no
// process may have it. Nothing here ever signals a process that the caller did not name by its id.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::test {

// A word unique on this machine, for WTOOL_TEST_MARK in a command's environment.
class Mark {
 public:
  Mark();
  const std::string& text() const { return text_; }
  // "WTOOL_TEST_MARK=...", to put before a command or after `export`.
  std::string assignment() const { return "WTOOL_TEST_MARK=" + text_; }
  // Living processes that have the mark in their environment or on their command line, except the calling one. A
  // process in the middle of execve is found, too: the kernel shows neither until execve is done, so this waits for it.
  std::vector<pid_t> bearers() const;
  // The bearers, for a message: "pid name; pid name".
  std::string description() const;

 private:
  std::string text_;
};

// The kernel's short name (/proc/PID/comm), and the state letter: 'R', 'S', 'Z', ...; empty and 0 without such a
// process.
std::string name_of(pid_t pid);
char state_of(pid_t pid);
pid_t parent_of(pid_t pid);
bool exists(pid_t pid);

// children_of: only the direct children. descendants_of: all processes below them as well. Both include zombies.
std::vector<pid_t> children_of(pid_t pid);
std::vector<pid_t> descendants_of(pid_t pid);

// The shell-warden above a custodian. (A command sees its custodian as its parent, $PPID.) Throws if there is none,
// because a test must not signal process 0, which means its own group.
pid_t warden_above(pid_t custodian);

// Waits until the predicate is true, checking about every millisecond; false when `limit` has passed. For conditions
// without a descriptor to wait on; for a single process, use wait_for_end.
bool wait_until(const std::function<bool()>& predicate, std::chrono::milliseconds limit);

// Waits by pidfd until the process has ended (is dead, even if not reaped). False when `limit` has passed.
bool wait_for_end(pid_t pid, std::chrono::milliseconds limit);

// The value of a key such as "VmHWM" in /proc/PID/status, in KiB.
long status_kib(pid_t pid, std::string_view key);

}  // namespace wtool::test
