#include "warden/warden.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/pidfd.h"
#include "system/process_files.h"
#include "warden/cgroup.h"
#include "warden/clock.h"
#include "warden/custodian.h"
#include "warden/scope_keeper.h"

namespace wtool::warden {

namespace {

enum WardenSource : unsigned { message, child, host_gone };

union WardenMessage {
  Header header;
  SpawnCustodian spawn_custodian;
  KillTree kill_tree;
};

// How often a leaving warden looks for custodians that wait for a stopped child.
constexpr int look_while_leaving_ms = 200;

}  // namespace

Warden::Warden(Descriptor control, char* name, std::size_t name_room, WardenProblem problem, int error)
    : problem_(problem),
      error_(error),
      control_(std::move(control)),
      name_(name),
      name_room_(name_room),
      inherited_(::getpid(), ::getsid(0)) {
  children_.reserve(max_children);
}

int Warden::run() {
  if (problem_ == WardenProblem::none) prepare();
  if (!greet()) return 1;

  while (!leaving_ || !childless_) {
    // While there are inherited processes, they are killed again every 5 ms until they are gone. Without them and
    // without pending kills, nothing happens between two events, until the plugin or the host is gone.
    const bool killing = !inherited_.empty() || !pending_kills_.empty();
    const unsigned news = events_.wait(killing ? 5 : leaving_ ? look_while_leaving_ms : -1);
    // While the warden is not leaving, the plugin continues stopped vfork children (engine/custodian.h, wake()).
    if (leaving_) continue_vfork_children_below(::getpid());
    if (holds(news, child)) {
      signalfd_siginfo discarded;
      (void)!::read(child_events_.get(), &discarded, sizeof discarded);
    }
    const bool lost_some = reap();
    if (holds(news, host_gone)) leave();  // Custodians notice this themselves.
    if (holds(news, message) && !leaving_) take_message();
    note_dead_custodians();
    // Trees come to us only when a custodian dies, and the kernel hands them over before it reports the death.
    if (lost_some || !inherited_.empty() || !pending_kills_.empty()) sweep();
    if (cgroups_in_doubt_ && inherited_.empty()) {
      remove_stale_cgroups(cgroup_base_.get());
      cgroups_in_doubt_ = false;
    }
    answer_kills();
  }
  return 0;
}

// Gets what a warden needs from the kernel. On failure, problem_ says what is missing.
void Warden::prepare() {
  const auto fail = [&](WardenProblem problem, int error) {
    problem_ = problem;
    error_ = error;
  };
  if (!events_) return fail(WardenProblem::descriptors, events_.error());
  errno = 0;
  if (!has_own_proc() || !OwnState(limits_).is_known()) return fail(WardenProblem::proc, errno);
  int is_subreaper = 0;
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || ::prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper) != 0 ||
      is_subreaper != 1) {
    return fail(WardenProblem::subreaper, errno);
  }
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  child_events_ = Descriptor(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK));
  null_device_ = Descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  self_ = open_process(::getpid());
  if (!child_events_ || !null_device_ || !self_ || !events_.add(child_events_.get(), child) ||
      !events_.add(control_.get(), message)) {
    return fail(WardenProblem::descriptors, errno);
  }
  continue_on_message(control_.get());
}

bool Warden::greet() {
  Hello hello{};
  const Received received = receive_message(control_.get(), &hello, sizeof hello);
  if (received.size != sizeof hello) return false;
  host_ = Descriptor(received.descriptors[0]);
  cgroup_base_ = Descriptor(received.descriptors[1]);
  if (problem_ == WardenProblem::none && (!host_ || !events_.add(host_.get(), host_gone))) {
    problem_ = WardenProblem::descriptors;
    error_ = received.descriptors_lost ? EMFILE : errno;
  }
  const Welcome welcome{{Kind::welcome, 0, 0}, protocol_version, ::getpid(), problem_, error_};
  return send_message(control_.get(), &welcome, sizeof welcome) && hello.version == protocol_version &&
         problem_ == WardenProblem::none;
}

// Takes no more requests; only children matter from now on. The plugin's and the host's descriptors are no longer
// watched, because they would stay readable once the plugin or the host is gone.
void Warden::leave() {
  if (leaving_) return;
  leaving_ = true;
  events_.remove(control_.get());
  events_.remove(host_.get());
  // The shutdown and the closing of queued descriptors keep the plugin from waiting for an answer, here or on a socket
  // that is still in the queue. Our end stays open: if a command has stopped this warden, the death of the plugin or
  // the host closes the other end, which continues the warden (continue_on_message).
  ::shutdown(control_.get(), SHUT_RDWR);
  for (;;) {
    WardenMessage unread{};
    const Received received = receive_message(control_.get(), &unread, sizeof unread, MSG_DONTWAIT);
    for (std::size_t i = 0; i < received.descriptor_count; ++i) ::close(received.descriptors[i]);
    if (received.size <= 0) return;
  }
}

void Warden::take_message() {
  WardenMessage message{};
  const Received received = receive_message(control_.get(), &message, sizeof message);
  Descriptor socket(received.descriptors[0]);
  Descriptor other(received.descriptors[1]);
  if (received.size == sizeof(SpawnCustodian) && message.header.kind == Kind::spawn_custodian && socket) {
    spawn_custodian(message.spawn_custodian.custodian, std::move(socket), std::move(other));
  } else if (received.size == sizeof(KillTree) && message.header.kind == Kind::kill_tree && socket) {
    kill_tree(message.kill_tree.custodian, std::move(socket), std::move(other));
  } else if (!received.descriptors_lost || state_.changed(limits_)) {
    // The plugin is gone or sends what we do not understand, or a command has lowered the limit of descriptors. If
    // descriptors were lost for another reason, only this message is lost, and its sender sees its socket closed.
    leave();
  }
}

// If there is a ruleset, the child becomes a scope keeper, not a custodian.
void Warden::spawn_custodian(std::uint64_t number, Descriptor socket, Descriptor ruleset) {
  // If a command has changed what all custodians and their commands would inherit, a new warden must be started.
  if (state_.changed(limits_)) return leave();
  if (children_.size() >= max_children) return tell_not_spawned(socket.get(), EAGAIN);
  const pid_t process = ::fork();
  if (process < 0) return tell_not_spawned(socket.get(), errno);
  if (process > 0) {
    children_.push_back({number, process});
    const Descriptor handle = open_process(process);
    const int sent = handle.get();
    const CustodianSpawned custodian_spawned{{Kind::custodian_spawned, 0, 0}, process, 0};
    send_message(socket.get(), &custodian_spawned, sizeof custodian_spawned, &sent, handle ? 1 : 0);
    return;
  }
  events_.close();
  control_.reset();
  limits_.reset();  // They are the warden's.
  child_events_.reset();
  pending_kills_.clear();
  static constexpr char title[] = "custodian";
  ::prctl(PR_SET_NAME, title);
  std::memset(name_, 0, name_room_);
  std::memcpy(name_, title, std::min(sizeof title, name_room_) - 1);
  const CustodianStation station{socket.release(),   host_.get(),        self_.get(),
                                 null_device_.get(), cgroup_base_.get(), &state_};
  if (ruleset) run_scope_keeper(station, std::move(ruleset));
  run_custodian(station);
}

void Warden::kill_tree(std::uint64_t number, Descriptor answer, Descriptor handle) {
  for (const Child& child : children_) {
    if (child.number == number) ::kill(child.process, SIGKILL);
  }
  if (handle) ::syscall(SYS_pidfd_send_signal, handle.get(), SIGKILL, nullptr, 0U);
  pending_kills_.push_back({number, now_ms() + unkillable_after_ms, std::move(answer), std::move(handle)});
}

// Reaps custodians and inherited processes, and continues children that were stopped: a command may send its custodian
// SIGSTOP, which nothing can block. True when there was something to do.
bool Warden::reap() {
  for (bool reaped = false;; reaped = true) {
    int status = 0;
    const pid_t child = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
    if (child < 0 && errno == EINTR) continue;
    childless_ = child < 0;
    if (child <= 0) return reaped;
    if (WIFSTOPPED(status)) {
      ::kill(child, SIGCONT);
      continue;
    }
    std::erase_if(children_, [&](const Child& one) { return one.process == child; });
    cgroups_in_doubt_ = true;  // it may have been a custodian
  }
}

void Warden::sweep() {
  // The end of a custodian may bring us its tree at any moment, so up to ten rounds look for new processes.
  for (int round = 0; round < 10; ++round) {
    inherited_.collect();
    if (inherited_.empty()) return;
    inherited_.kill();
    reap();
  }
}

// Forgets the pidfds of custodians that have been reaped. A reaped custodian is no longer a child, and its children
// were handed to this process before that, so the next sweep finds them.
void Warden::note_dead_custodians() {
  for (PendingKill& pending : pending_kills_) {
    if (!pending.handle) continue;
    siginfo_t ignored;
    const auto handle = static_cast<id_t>(pending.handle.get());
    const bool child = ::waitid(P_PIDFD, handle, &ignored, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
    if (!child) pending.handle.reset();
  }
}

bool Warden::has_child(std::uint64_t number) const {
  return std::any_of(children_.begin(), children_.end(), [&](const Child& one) { return one.number == number; });
}

void Warden::answer_kills() {
  std::erase_if(pending_kills_, [&](const PendingKill& pending) {
    const bool done = !has_child(pending.custodian) && !pending.handle && inherited_.empty();
    if (!done && now_ms() < pending.deadline_ms) return false;
    TreeKilled tree_killed{};
    tree_killed.header = {Kind::tree_killed, 0, 0};
    tree_killed.unkillable_count = inherited_.name_living(tree_killed.unkillable);
    send_message(pending.answer.get(), &tree_killed, sizeof tree_killed);
    return true;
  });
}

}  // namespace wtool::warden
