#include "engine/warden_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// clang-format off: stdio.hpp uses what last_error.hpp declares, but does not include it.
#include <boost/process/v2/detail/last_error.hpp>
#include <boost/process/v2/environment.hpp>
#include <boost/process/v2/stdio.hpp>
// clang-format on
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "engine/cgroup.h"
#include "engine/detached_launcher.h"
#include "system/process_files.h"
#include "warden/protocol.h"

namespace wtool::engine {

namespace {

// A warden greets within microseconds; a program that takes longer than 10 s is not a warden.
constexpr std::chrono::milliseconds greeting_timeout{10'000};

CustodyError failure(const std::string& path, std::string_view what, int error) {
  std::string text = "the helper program " + path + " " + std::string(what);
  if (error != 0) text.append(": ").append(std::strerror(error));
  return {error, std::move(text)};
}

int open_handle(pid_t process) { return static_cast<int>(::syscall(SYS_pidfd_open, process, 0U)); }

std::string_view text_of(warden::WardenProblem problem) {
  switch (problem) {
    case warden::WardenProblem::none:
      break;
    case warden::WardenProblem::proc:
      return "cannot see the processes that it must supervise: /proc is not mounted, or shows another pid namespace; "
             "mount the proc file system in the namespace of the host";
    case warden::WardenProblem::subreaper:
      return "cannot take orphaned processes into custody (PR_SET_CHILD_SUBREAPER)";
    case warden::WardenProblem::privacy:
      return "cannot protect its memory from other processes (PR_SET_DUMPABLE)";
    case warden::WardenProblem::descriptors:
      return "cannot close the descriptors of the host, or open its own";
  }
  return "";
}

}  // namespace

std::shared_ptr<WardenProcess> WardenProcess::start(const std::string& path, const Patience& patience,
                                                    CustodyError& error) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    error = failure(path, "cannot be started, because no socket can be made for it", errno);
    return nullptr;
  }
  auto warden = std::make_shared<WardenProcess>();
  warden->control_ = Descriptor(pair[0]);
  Descriptor theirs(pair[1]);
  const Descriptor null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const Descriptor host(open_handle(::getpid()));
  // Makes sure that a descriptor is free for the warden's handle: without one, the start would fail halfway.
  Descriptor room(host ? ::fcntl(host.get(), F_DUPFD_CLOEXEC, 3) : -1);
  if (!null_device || !host || !room) {
    error = failure(path, "cannot be started, because a descriptor for it cannot be opened", errno);
    return nullptr;
  }
  warden->owner_ = ::getpid();
  warden->user_ = ::geteuid();
  warden->group_ = ::getegid();

  room.reset();
  namespace process = boost::process::v2;
  DetachedLauncher launcher;
  DetachedLauncher::Error failed;
  // The warden needs no environment: each command brings its own.
  const std::vector<std::string> nothing;
  const int number = launcher(failed, path, nothing, process::process_environment(nothing),
                              process::process_stdio{theirs.get(), null_device.get(), null_device.get()});
  if (failed) {
    error = failure(path, "cannot be started", failed.value());
    return nullptr;
  }
  theirs.reset();  // Closed, so that the warden's death is noticed immediately.
  warden->process_ = number;
  warden->handle_ = launcher.take_handle();
  if (!warden->handle_) {
    error = failure(path, "cannot be watched", errno);
    return nullptr;
  }

  if (!warden->greet(path, host, patience, error)) return nullptr;
  ProcessStatus status;
  if (read_status(number, status)) warden->reaper_ = status.parent;
  return warden;
}

bool WardenProcess::greet(const std::string& path, const Descriptor& host, const Patience& patience,
                          CustodyError& error) {
  const warden::Hello hello{{warden::Kind::hello, 0, 0}, warden::protocol_version, 0};
  cgroup_base_ = open_cgroup_base();
  const int sent[] = {host.get(), cgroup_base_.get()};
  warden::Welcome welcome{};
  ssize_t received = 0;
  int failed_call = 0;
  if (!warden::send_message(control(), &hello, sizeof hello, sent, cgroup_base_ ? 2 : 1)) {
    failed_call = errno;
  } else if (patience.await(control(), POLLIN, greeting_timeout)) {
    received = warden::receive_message(control(), &welcome, sizeof welcome).size;
    if (received < 0) failed_call = errno;
  }
  if (received != sizeof welcome || welcome.header.kind != warden::Kind::welcome) {
    kill();
    // A program that has ended does not answer.
    const bool has_ended = failed_call == EPIPE || failed_call == ECONNRESET;
    error = patience.over() ? failure(path, "did not answer within the call's time", 0)
            : failed_call == 0 || has_ended
                ? failure(path, "does not answer like a shell-warden", 0)
                : failure(path, "was started, but no message can be exchanged with it", failed_call);
    return false;
  }
  if (welcome.version != warden::protocol_version) {
    error = failure(path,
                    "has protocol version " + std::to_string(welcome.version) + ", but this plugin needs version " +
                        std::to_string(warden::protocol_version) + "; install both from the same build",
                    0);
    return false;
  }
  if (welcome.problem != warden::WardenProblem::none) {
    error = failure(path, text_of(welcome.problem), welcome.error);
    return false;
  }
  return true;
}

bool WardenProcess::serves_us() const { return owner_ == ::getpid() && user_ == ::geteuid() && group_ == ::getegid(); }

bool WardenProcess::serves() const {
  pollfd watched[] = {{handle_.get(), POLLIN, 0},
                      {control_.get(), 0, 0}};  // POLLHUP is reported even if no event is asked for.
  for (;;) {
    const int ready = ::poll(watched, 2, 0);
    if (ready >= 0 || errno != EINTR) return ready <= 0;
  }
}

bool WardenProcess::alive() const { return !has_event(handle_.get(), POLLIN); }

bool WardenProcess::wait_end(int timeout_ms) const {
  return has_event(handle_.get(), POLLIN, std::chrono::milliseconds(timeout_ms));
}

void WardenProcess::wake() const { ::syscall(SYS_pidfd_send_signal, handle_.get(), SIGCONT, nullptr, 0U); }

void WardenProcess::kill() const { ::syscall(SYS_pidfd_send_signal, handle_.get(), SIGKILL, nullptr, 0U); }

}  // namespace wtool::engine
