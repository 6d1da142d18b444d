// shell-warden: supervises every process that a command of the shell tools starts, until the process is dead.
//
// - The plugin starts it when the first call needs it, detached from the host: not its child, not in its session. Its
//   standard input is the control socket (warden/protocol.h describes the messages).
// - Starts custodians (warden/custodian.h), each for one call at a time, and takes over the tree of a custodian that
//   dies (warden/warden.h).
// - A small static program: no Boost, JSON, iostreams, name service or dlopen; nothing here parses what a user wrote.
// - Not for use by hand: without its socket it says so and exits with 2.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/descriptor.h"
#include "system/process_files.h"
#include "warden/own_state.h"
#include "warden/protocol.h"
#include "warden/warden.h"

namespace {

[[gnu::section(".note.wtool"), gnu::used, gnu::aligned(4)]] constinit const wtool::warden::VersionNote version_note{
    .version = wtool::warden::protocol_version};

bool is_control_socket(int fd) {
  int type = 0;
  socklen_t size = sizeof type;
  return ::getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

// Closes every descriptor above 2, so that none of the host's stays open, close-on-exec or not. None of them is ours
// yet.
bool close_all_above_2() {
  if (::syscall(SYS_close_range, 3U, ~0U, 0U) == 0) return true;
  // Closes them one by one on kernels before 5.9, or if a seccomp filter rejects the call.
  int highest = 2;
  if (!wtool::for_each_number("/proc/self/fd", [&](int fd) {
        highest = fd > highest ? fd : highest;
        return true;
      })) {
    return false;
  }
  for (int fd = 3; fd <= highest; ++fd) ::close(fd);
  return true;
}

// Makes the stack grow now. It grows on demand, up to its limit. A command may lower that limit, but that does not
// shrink a stack.
[[gnu::noinline]] void make_room_on_stack() {
  // With a lower limit, a custodian cannot run anyway. When the custodian dies, the plugin reports why.
  constexpr rlim_t least_limit = 128UL * 1024;
  rlimit limit{};
  if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur < least_limit) return;
  volatile char room[96UL * 1024];
  for (std::size_t at = 0; at < sizeof room; at += 4096) room[at] = 0;
}

}  // namespace

int main(int, char** argv) {
  if (!is_control_socket(0)) {
    static constexpr char text[] = "shell-warden is a part of wtool's shell_tools plugin, which starts it by itself.\n";
    (void)!::write(2, text, sizeof text - 1);
    return 2;
  }
  using wtool::warden::WardenProblem;
  WardenProblem problem = WardenProblem::none;
  int error = 0;
  // Saves errno immediately, since the calls below change it.
  const auto fail = [&](WardenProblem step) {
    error = errno;
    problem = step;
  };
  if (!close_all_above_2()) fail(WardenProblem::descriptors);
  wtool::Descriptor control(::fcntl(0, F_DUPFD_CLOEXEC, 3));
  // 0 to 2 stay in use, so that no important descriptor ever gets one of these numbers.
  const int null_device = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (!control || null_device < 0) return 1;
  for (int fd = 0; fd <= 2; ++fd) ::dup2(null_device, fd);
  if (null_device > 2) ::close(null_device);
  // From here on, a command of the same user can neither trace us nor open our memory.
  if (problem == WardenProblem::none && ::prctl(PR_SET_DUMPABLE, 0) != 0) fail(WardenProblem::privacy);
  wtool::warden::rise_above_processes();
  (void)!::chdir("/");  // so that no directory stays in use
  make_room_on_stack();
  wtool::warden::Warden warden(std::move(control), argv[0], std::strlen(argv[0]), problem, error);
  const int status = warden.run();
  ::_exit(status);
}
