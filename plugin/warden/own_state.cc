#include "warden/own_state.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"

namespace wtool::warden {

namespace {

constexpr int highest = -20;

bool risen = false;
int usual = 0;

constexpr int io_priority_of_process = 1;  // IOPRIO_WHO_PROCESS

}  // namespace

void rise_above_processes() {
  errno = 0;
  usual = ::getpriority(PRIO_PROCESS, 0);
  risen = errno == 0 && ::setpriority(PRIO_PROCESS, 0, highest) == 0;
}

void rise_above_sessions() {
  static bool done = false;
  if (done || !risen) return;
  done = true;
  // This does not raise commands: each command begins a new session, which has the default priority.
  const Descriptor session(::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
  if (session) (void)!::write(session.get(), "-20", 3);
}

bool return_to_usual_priority() { return !risen || ::setpriority(PRIO_PROCESS, 0, usual) == 0; }

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
