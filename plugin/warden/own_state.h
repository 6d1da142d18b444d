// What other processes may change about a process of ours: its limits (prlimit), its priority, scheduling class and
// processors.
//
// A command of the same user can do that to warden and custodian. Everything that they start would inherit it, so a
// keeper that was changed serves no further call.
#pragma once

#include <sched.h>
#include <sys/resource.h>

namespace wtool::warden {

class OwnState {
 public:
  // As it is now.
  OwnState();

  // Whether it is something else now.
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
