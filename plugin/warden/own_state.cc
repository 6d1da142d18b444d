#include "warden/own_state.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

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

Descriptor open_own_limits() { return Descriptor(::open("/proc/self/limits", O_RDONLY | O_CLOEXEC)); }

OwnState::OwnState(const Descriptor& limits) {
  const ssize_t got = ::pread(limits.get(), limits_, sizeof limits_, 0);
  limits_size_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  ::sched_getaffinity(0, sizeof processors_, &processors_);
  priority_ = ::getpriority(PRIO_PROCESS, 0);
  scheduling_ = ::sched_getscheduler(0);
  disk_priority_ = static_cast<int>(::syscall(SYS_ioprio_get, io_priority_of_process, 0));
}

bool OwnState::operator==(const OwnState& other) const {
  return limits_size_ > 0 && limits_size_ == other.limits_size_ &&
         std::memcmp(limits_, other.limits_, limits_size_) == 0 && CPU_EQUAL(&processors_, &other.processors_) &&
         priority_ == other.priority_ && scheduling_ == other.scheduling_ && disk_priority_ == other.disk_priority_;
}

}  // namespace wtool::warden
