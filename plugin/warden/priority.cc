#include "warden/priority.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>

#include "system/descriptor.h"

namespace wtool::warden {

namespace {

constexpr int highest = -20;

bool risen = false;
int usual = 0;

}  // namespace

void rise_above_commands() {
  errno = 0;
  usual = ::getpriority(PRIO_PROCESS, 0);
  if (errno != 0) return;
  risen = ::setpriority(PRIO_PROCESS, 0, highest) == 0;
  // Where the scheduler is fair to sessions first, and to their processes second, the session must rise too. Every
  // command's session is a new one.
  const Descriptor session(::open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC));
  if (risen && session) (void)!::write(session.get(), "-20", 3);
}

bool return_to_usual_priority() { return !risen || ::setpriority(PRIO_PROCESS, 0, usual) == 0; }

}  // namespace wtool::warden
