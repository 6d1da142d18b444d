// The priority of a keeper, which it raises itself, and its settings that other processes may change.
//
// - Keepers must get processor time however many processes a command starts: a monitor that queues behind a thousand
//   other processes sees nothing and ends nothing. Where the kernel allows it (root, CAP_SYS_NICE), the warden and its
//   custodians run at a higher priority than everybody else; a command runs at the host's priority.
// - A command of the same user can change the limits (prlimit), priority, scheduling class and processors of warden and
//   custodian. Everything that they start would inherit such a change, so a keeper that was changed serves no further
//   call.
#pragma once

#include <sched.h>
#include <sys/resource.h>

namespace wtool::warden {

// Call it once, in the warden, before the first custodian: it raises this process and those that it forks.
void rise_above_processes();

// Raises the session of all keepers, because some schedulers divide time first between sessions and then between the
// processes of each session. A raised session costs every later call 4 % of its time, so it is raised only when there
// are limits to watch, or a tree does not die. It is never lowered again.
void rise_above_sessions();

// Call it in a command's process. Makes one system call. False with errno.
bool return_to_usual_priority();

// The settings of this process that other processes may change.
class OwnState {
 public:
  // The current state.
  OwnState();

  // Whether the state is different now.
  bool changed() const { return !(OwnState() == *this); }

  bool operator==(const OwnState& other) const;

 private:
  rlimit limits_[RLIM_NLIMITS] = {};
  cpu_set_t processors_{};
  int priority_;
  int scheduling_;
  int disk_priority_;
};

}  // namespace wtool::warden
