// shell-warden: holds every process that a command of the shell tools starts, until it is dead.
//
// - Started once by the plugin, lazily, detached from the host: not its child, not in its session. Its standard input
//   is the control socket (warden/protocol.h says what goes over it).
// - Keeps custodians (warden/custodian.h), one a call, and stands behind them (warden/warden.h).
// - A small static program: no Boost, JSON, iostreams, name service or dlopen; nothing here parses what a user wrote.
// - Not for use by hand: without its socket it says so and exits with 2.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "system/descriptor.h"
#include "warden/priority.h"
#include "warden/protocol.h"
#include "warden/version_note.h"
#include "warden/warden.h"

namespace {

[[gnu::section(".note.wtool"), gnu::used, gnu::aligned(4)]] constinit const wtool::warden::VersionNote version_note{
    .version = wtool::warden::protocol_version};

bool is_control_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

}  // namespace

int main(int, char** argv) {
  if (!is_control_socket(0)) {
    static constexpr char text[] = "shell-warden is a part of wtool's shell_tools plugin, which starts it by itself.\n";
    (void)!::write(2, text, sizeof text - 1);
    return 2;
  }
  // Nothing of the host's comes along, close-on-exec or not.
  ::syscall(SYS_close_range, 3U, ~0U, 0U);
  wtool::Descriptor control(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  // 0 to 2 stay taken, so that no descriptor that matters ever gets one of these numbers.
  const int null_device = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (!control || null_device < 0) return 1;
  for (int fd = 0; fd <= 2; ++fd) ::dup2(null_device, fd);
  if (null_device > 2) ::close(null_device);
  // A command of the same user can neither trace us nor open our memory.
  ::prctl(PR_SET_DUMPABLE, 0);
  wtool::warden::rise_above_processes();
  (void)!::chdir("/");  // Keeps no directory busy.
  wtool::warden::Warden warden(std::move(control), argv[0], std::strlen(argv[0]));
  const int status = warden.run();
  ::_exit(status);
}
