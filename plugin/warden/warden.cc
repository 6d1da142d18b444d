#include "warden/warden.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "warden/cgroup.h"
#include "warden/clock.h"
#include "warden/custodian.h"
#include "warden/tree.h"

namespace wtool::warden {

Warden::Warden(Descriptor control, char* name, std::size_t name_room)
    : control_(std::move(control)), name_(name), name_room_(name_room) {}

int Warden::run() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, nullptr);
  child_events_ = Descriptor(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
  null_device_ = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  self_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0U)));
  if (!child_events_ || !null_device_ || !self_ || !greet()) return 1;

  while (!leaving_ || !employees_.empty() || !inherited_.empty()) {
    // What was inherited is killed again and again until it is gone; otherwise there is nothing to do unasked.
    const int timeout = inherited_.empty() && burials_.empty() ? -1 : 5;
    pollfd watched[] = {{leaving_ ? -1 : control_.get(), POLLIN, 0},
                        {child_events_.get(), POLLIN, 0},
                        {leaving_ ? -1 : host_.get(), POLLIN, 0}};
    ::poll(watched, 3, timeout);
    if (watched[1].revents != 0) {
      signalfd_siginfo discarded;
      (void)!::read(child_events_.get(), &discarded, sizeof discarded);
    }
    const bool lost_some = reap();
    if (watched[2].revents != 0) leaving_ = true;  // Custodians see it themselves.
    if (watched[0].revents != 0 && !leaving_) take_message();
    // Only the death of a custodian brings us its tree, and the kernel hands it on before it tells of the death.
    if (lost_some || !inherited_.empty() || !burials_.empty()) sweep();
    if (cgroups_in_doubt_ && inherited_.empty()) {
      remove_stale_cgroups(cgroup_base_.get());
      cgroups_in_doubt_ = false;
    }
    answer_burials();
  }
  return 0;
}

bool Warden::greet() {
  Hello hello{};
  const Received received = receive_message(control_.get(), &hello, sizeof hello);
  if (received.size != sizeof hello || received.descriptor_count == 0 || hello.header.kind != Kind::hello) return false;
  host_ = Descriptor(received.descriptors[0]);
  cgroup_base_ = Descriptor(received.descriptors[1]);
  const Welcome welcome{{Kind::welcome, 0, 0}, protocol_version, ::getpid()};
  return send_message(control_.get(), &welcome, sizeof welcome) && hello.version == protocol_version;
}

void Warden::take_message() {
  union {
    Header header;
    Recruit recruit;
    Bury bury;
  } message{};
  const Received received = receive_message(control_.get(), &message, sizeof message);
  Descriptor socket(received.descriptor_count > 0 ? received.descriptors[0] : -1);
  if (received.size == sizeof(Recruit) && message.header.kind == Kind::recruit && socket) {
    recruit(message.recruit.custodian, std::move(socket));
  } else if (received.size == sizeof(Bury) && message.header.kind == Kind::bury && socket) {
    bury(message.bury.custodian, std::move(socket));
  } else if (received.size < 0 && errno == EMFILE) {
    return;  // The message's descriptors were lost; its sender sees its socket closed.
  } else {
    leaving_ = true;  // The plugin is gone, or speaks another language.
  }
}

void Warden::recruit(std::uint64_t number, Descriptor socket) {
  const pid_t process = ::fork();
  if (process < 0) {
    // The custodian's one and only message: that there is none.
    Report report{};
    report.header = {Kind::report, 0, 0};
    report.failed_stage = Stage::fork;
    report.error = errno;
    report.abandoned = 1;
    send_message(socket.get(), &report, sizeof report);
    return;
  }
  if (process > 0) {
    employees_.push_back({number, process});
    return;
  }
  control_.reset();
  child_events_.reset();
  burials_.clear();
  static constexpr char title[] = "custodian";
  ::prctl(PR_SET_NAME, title);
  std::memset(name_, 0, name_room_);
  std::memcpy(name_, title, std::min(sizeof title, name_room_) - 1);
  run_custodian({socket.release(), host_.get(), self_.get(), null_device_.get(), cgroup_base_.get()});
}

void Warden::bury(std::uint64_t number, Descriptor answer) {
  for (const Employee& employee : employees_) {
    if (employee.number == number) ::kill(employee.process, SIGKILL);
  }
  burials_.push_back({number, now_ms() + unkillable_after_ms, std::move(answer)});
}

// Reaps custodians and what was inherited, and sets going again what was stopped: a command may send its custodian
// SIGSTOP, which nothing can block. True when there was something to do.
bool Warden::reap() {
  for (bool reaped = false;; reaped = true) {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
    if (child < 0 && errno == EINTR) continue;
    if (child <= 0) return reaped;
    if (WIFSTOPPED(status)) {
      ::kill(child, SIGCONT);
      continue;
    }
    if (std::erase_if(employees_, [&](const Employee& employee) { return employee.process == child; }) > 0) {
      cgroups_in_doubt_ = true;
    }
  }
}

void Warden::sweep() {
  std::vector<pid_t> spared;
  for (const Employee& employee : employees_) spared.push_back(employee.process);
  // A custodian's own end may bring us its tree at any moment: look until a round finds nothing but what is dying.
  for (int round = 0; round < 10; ++round) {
    collect_tree(inherited_, spared);
    if (inherited_.empty()) return;
    kill_members(inherited_);
    reap();
  }
}

bool Warden::employs(std::uint64_t number) const {
  return std::any_of(employees_.begin(), employees_.end(),
                     [&](const Employee& employee) { return employee.number == number; });
}

void Warden::answer_burials() {
  std::erase_if(burials_, [&](const Burial& burial) {
    const bool done = !employs(burial.custodian) && inherited_.empty();
    if (!done && now_ms() < burial.deadline_ms) return false;
    Buried buried{};
    buried.header = {Kind::buried, 0, 0};
    buried.left_count = name_living(inherited_, buried.left);
    send_message(burial.answer.get(), &buried, sizeof buried);
    return true;
  });
}

}  // namespace wtool::warden
