#include "warden/own_state.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

namespace wtool::warden {

namespace {

constexpr int io_priority_of_process = 1;  // IOPRIO_WHO_PROCESS

}  // namespace

OwnState::OwnState() {
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    ::getrlimit(static_cast<__rlimit_resource>(resource), &limits_[resource]);
  }
  ::sched_getaffinity(0, sizeof processors_, &processors_);
  priority_ = ::getpriority(PRIO_PROCESS, 0);
  scheduling_ = ::sched_getscheduler(0);
  disk_priority_ = static_cast<int>(::syscall(SYS_ioprio_get, io_priority_of_process, 0));
}

bool OwnState::operator==(const OwnState& other) const {
  return std::memcmp(limits_, other.limits_, sizeof limits_) == 0 && CPU_EQUAL(&processors_, &other.processors_) &&
         priority_ == other.priority_ && scheduling_ == other.scheduling_ && disk_priority_ == other.disk_priority_;
}

}  // namespace wtool::warden
