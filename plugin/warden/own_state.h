// A keeper's priority, which the keeper raises itself, and those settings of a keeper that other processes may change.
//
// - Keepers must get processor time however many processes a command starts: a monitor that queues behind a thousand
//   other processes sees nothing and ends nothing. Where the kernel allows it (root, CAP_SYS_NICE), the warden and its
//   custodians run at a higher priority than all other processes; a command runs at the host's priority.
// - A command of the same user can change the limits (prlimit), priority, scheduling class and processors of the warden
//   and the custodians. Everything that these start would inherit such a change, so a keeper that was changed serves no
//   further call.
#pragma once

#include <sched.h>

#include <cstddef>

#include "base/descriptor.h"

namespace wtool::warden {

// Call it once, in the warden, before the first custodian. It raises the priority of this process and of those that it
// forks.
void rise_above_processes();

// Raises the priority of the keepers' session, because some schedulers divide time first between sessions and then
// between the processes of each session. A raised session costs every later call 4 % of its time, so it is raised only
// when there are limits to watch, or a tree does not die. It is never lowered again.
void rise_above_sessions();

// Lowers this process to the host's priority. Call it in a command's process, before exec. Makes one system call.
// False, with errno, on failure.
bool return_to_usual_priority();

// The limits of this process as a text of the kernel (proc_pid_limits(5)). One read of this file takes a fifth of the
// time that one getrlimit for each limit takes. A keeper opens the file when it starts: later, it may have no room for a
// descriptor. Empty if the file cannot be opened.
Descriptor open_own_limits();

// The settings of this process that other processes may change.
class OwnState {
 public:
  // Reads the current state. `limits`: what open_own_limits() has opened in this process.
  explicit OwnState(const Descriptor& limits);

  // False: the limits could not be read. errno then says why.
  bool is_known() const { return limits_size_ > 0; }

  // True if the state is different now, or cannot be read. `limits`: as above.
  bool changed(const Descriptor& limits) const { return !(OwnState(limits) == *this); }

  // False, too, if the limits could not be read.
  bool operator==(const OwnState& other) const;

 private:
  std::size_t limits_size_ = 0;
  char limits_[4096];
  cpu_set_t processors_{};
  int priority_;
  int scheduling_;
  int disk_priority_;
};

}  // namespace wtool::warden
