#include "warden/priority.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "base/descriptor.h"

namespace wtool::warden {

namespace {

constexpr int highest = -20;

bool risen = false;
int usual = 0;

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
  // A command's session is a new one, and begins in the middle.
  const Descriptor session(::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
  if (session) (void)!::write(session.get(), "-20", 3);
}

bool return_to_usual_priority() { return !risen || ::setpriority(PRIO_PROCESS, 0, usual) == 0; }

}  // namespace wtool::warden
