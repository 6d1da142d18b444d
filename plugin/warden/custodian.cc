#include "warden/custodian.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <vector>

#include "system/process_files.h"
#include "system/process_tree.h"
#include "warden/cgroup.h"
#include "warden/clock.h"
#include "warden/event_set.h"
#include "warden/own_state.h"
#include "warden/resource_monitor.h"
#include "warden/start_message.h"

namespace wtool::warden {

namespace {

// The longest pause while a tree is dying, before the next round looks for new processes.
constexpr std::int64_t max_pause_ms = 200;

// True if the command itself died of this signal. A shell whose own command did exits with 128 + signal, but any program
// may exit with that status, so the status shows no limit.
bool died_of(int status, int signal) { return WIFSIGNALED(status) && WTERMSIG(status) == signal; }

class ServingCustodian {
 public:
  explicit ServingCustodian(const CustodianStation& station) : station_(station), cgroup_(station.cgroup_base) {}

  [[noreturn]] void serve();

 private:
  // How far the ending of the call has progressed. It only moves forward.
  enum class Ending { none, asked, forced };

  // The events that are awaited: bit numbers for EventSet.
  enum Source : unsigned { message, child, host_gone, warden_gone, cgroup_memory, cgroup_processes, kept_output };

  [[noreturn]] void refuse_start(std::uint64_t call);
  bool may_share_filter(const SpawnPlan& plan) const;
  bool may_start(const SpawnPlan& plan) const;
  bool share_filter(const SpawnPlan& plan, SpawnFailure& failure);
  void run_call();
  void take_message();
  void keep(const Received& received);
  void discard_kept_output();
  void close_kept_output();
  void reap();
  void forget_child_events();
  void look();
  void classify_exit();
  std::uint64_t held_at(Limit exceeded) const;
  int time_to_wait() const;
  bool has_deadline() const;
  void begin_end(std::int64_t grace_ms, EndedBy by);
  void leave(std::int64_t grace_ms);
  void free_leader();
  void kill_all();
  void reap_for(std::int64_t min_ms, std::int64_t max_ms);
  void report();
  void tell(Kind kind);
  void tell_running();

  const CustodianStation station_;
  const Descriptor limits_ = open_own_limits();
  EventSet events_;
  int child_events_ = -1;
  char buffer_[max_message];
  StartMessage start_;
  ProcessTree tree_{::getpid()};
  ResourceMonitor monitor_;
  Cgroup cgroup_;
  std::vector<sock_filter> filter_;  // the filter that this process has entered; empty: none

  // The current call.
  pid_t leader_ = -1;
  bool leader_lives_ = false;
  bool tree_lives_ = false;
  bool told_leader_exited_ = false;
  int kept_output_[2] = {-1, -1};  // the output of kept processes arrives here
  bool retiring_ = false;          // Exit after this call.
  Ending ending_ = Ending::none;
  std::int64_t ending_deadline_ = 0;  // When the phase `ending_` is over.
  Report report_{};
};

void ServingCustodian::serve() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  child_events_ = ::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK);
  int is_subreaper = 0;
  ::prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper);
  // If any of these steps fails, the custodian cannot keep its contract. It has read no message yet, so the plugin
  // knows that nothing has run.
  if (child_events_ < 0 || is_subreaper != 1 || !events_ || !events_.add(station_.socket, message) ||
      !events_.add(child_events_, child) || !events_.add(station_.host, host_gone) ||
      !events_.add(station_.warden, warden_gone)) {
    quit(station_);
  }
  continue_on_message(station_.socket);
  for (;;) {
    const unsigned news = events_.wait(-1);
    if (holds(news, host_gone) || holds(news, warden_gone)) quit(station_);
    if (!holds(news, message)) continue;
    const Received received = receive_message(station_.socket, buffer_, sizeof buffer_);
    Header header{};
    if (received.size < static_cast<ssize_t>(sizeof header)) quit(station_);
    std::memcpy(&header, buffer_, sizeof header);
    if (header.kind == Kind::end || header.kind == Kind::keep) {  // The report of its call was already sent.
      for (std::size_t i = 0; i < received.descriptor_count; ++i) ::close(received.descriptors[i]);
      continue;
    }
    if (header.kind == Kind::inspect) {
      // A start message that follows stays unread. The plugin's end of the socket then fails with ECONNRESET, and so
      // the plugin knows that nothing has run.
      if (station_.state->changed(limits_)) quit(station_);
      continue;
    }
    if (header.kind != Kind::start) quit(station_);
    if (received.descriptors_lost) refuse_start(header.call);
    if (!start_.receive(station_.socket, buffer_, received)) quit(station_);
    // Without a scope, the command could signal any process.
    if (start_.in_scope() && !station_.in_scope) quit(station_);
    run_call();
    // The caller has its report by now, so it does not wait for this check. If some other command runs at the same time,
    // the plugin asks for a check before the next start instead (Kind::inspect).
    if (retiring_ || (start_.inspects_itself() && station_.state->changed(limits_))) quit(station_);
  }
}

// The start came without its descriptors, because this process had no room for them.
void ServingCustodian::refuse_start(std::uint64_t call) {
  report_ = Report{};
  report_.header = {Kind::report, 0, call};
  report_.failed_stage = Stage::fork;
  report_.error = EMFILE;
  report_.abandoned = 1;
  report();
  quit(station_);
}

void ServingCustodian::run_call() {
  report_ = Report{};
  report_.header = {Kind::report, 0, start_.call()};
  ending_ = Ending::none;
  told_leader_exited_ = false;

  SpawnPlan plan = start_.plan();
  if (!may_start(plan)) quit(station_);
  if (plan.limits.processes != 0 || plan.limits.memory_bytes != 0 || plan.limits.cpu_seconds != 0)
    rise_above_sessions();
  if (plan.standard_input < 0) plan.standard_input = station_.null_device;
  if (cgroup_.make(start_.call(), plan.limits)) plan.cgroup = cgroup_.directory();
  events_.add(cgroup_.memory_events(), cgroup_memory, EPOLLPRI);
  events_.add(cgroup_.process_events(), cgroup_processes, EPOLLPRI);
  SpawnFailure failure;
  leader_ = share_filter(plan, failure) ? spawn(plan, failure) : -1;
  start_.finish();
  if (failure.cgroup_error != 0) cgroup_.remove();
  report_.in_cgroup = cgroup_.made() ? 1 : 0;
  report_.failed_stage = failure.stage;
  report_.error = failure.error;
  leader_lives_ = tree_lives_ = leader_ > 0;
  monitor_.begin(plan.limits, cgroup_.made());
  if (start_.tells_start() && leader_lives_) tell_running();

  while (tree_lives_) {
    if (!leader_lives_ && !told_leader_exited_ && ending_ == Ending::none) {
      told_leader_exited_ = true;
      tell(Kind::leader_exited);
    }
    if (ending_ == Ending::forced) {
      kill_all();
      break;
    }
    const unsigned news = events_.wait(time_to_wait());
    if (holds(news, child)) {
      // A call that is over is reported before the child events are discarded, because the caller waits for the report.
      // If a child ends between the first reap and forget_child_events(), the second reap finds it.
      reap();
      if (!tree_lives_) break;
      forget_child_events();
      reap();
    }
    if (!tree_lives_) break;
    if (holds(news, kept_output)) discard_kept_output();
    // Sampling is expensive, and a cgroup event need not mean an exceeded limit, so an event causes a sample only if a
    // limit was exceeded.
    const bool cgroup_news = holds(news, cgroup_memory) || holds(news, cgroup_processes);
    if (now_ms() >= monitor_.next_sample() || (cgroup_news && cgroup_.exceeded() != Limit::none)) look();
    if (holds(news, warden_gone)) {
      // If this custodian died too, nobody would end the tree, so the tree is ended now.
      report_.abandoned = 1;
      leave(0);
    } else if (holds(news, host_gone)) {
      leave(orphaned_grace_ms);
    } else if (holds(news, message)) {
      take_message();
    }
    if (has_deadline() && now_ms() >= start_.deadline_ms()) begin_end(start_.grace_ms(), EndedBy::deadline);
    if (ending_ == Ending::asked && now_ms() >= ending_deadline_) ending_ = Ending::forced;
  }
  close_kept_output();
  classify_exit();
  cgroup_.remove();
  report();
  forget_child_events();
}

// False if the filter would refuse what the command's start or its supervision needs: the mounts of binds, clone3 for a
// cgroup, or kcmp, with which the monitor finds processes that share their memory.
bool ServingCustodian::may_share_filter(const SpawnPlan& plan) const {
  return plan.sandbox != nullptr && plan.sandbox->filter_size > 0 && plan.sandbox->bind_count == 0 &&
         plan.limits.memory_bytes == 0 && station_.cgroup_base < 0;
}

// Once this process has entered a filter, it can only start commands that have the same filter.
bool ServingCustodian::may_start(const SpawnPlan& plan) const {
  return filter_.empty() ||
         (may_share_filter(plan) && filter_.size() == plan.sandbox->filter_size &&
          std::memcmp(filter_.data(), plan.sandbox->filter, filter_.size() * sizeof(sock_filter)) == 0);
}

// If the command can share its filter with this process: enters the filter, unless an earlier call has done so, and
// removes it from the plan, because the command inherits it. False if the kernel does not accept the filter.
bool ServingCustodian::share_filter(const SpawnPlan& plan, SpawnFailure& failure) {
  if (!may_share_filter(plan)) return true;
  SandboxPlan& sandbox = *plan.sandbox;
  if (filter_.empty()) {
    filter_.assign(sandbox.filter, sandbox.filter + sandbox.filter_size);
    if (const int error = enter_filter(sandbox.filter, sandbox.filter_size); error != 0) {
      failure = {Stage::sandbox, error};
      // This process serves no other call: no_new_privs is set now, so the programs of a later command without a
      // sandbox could not gain rights.
      report_.abandoned = 1;
      retiring_ = true;
      return false;
    }
  }
  sandbox.filter_size = 0;
  report_.in_filter = 1;
  return true;
}

void ServingCustodian::forget_child_events() {
  signalfd_siginfo discarded;
  (void)!::read(child_events_, &discarded, sizeof discarded);
}

int ServingCustodian::time_to_wait() const {
  int look = poll_timeout(monitor_.next_sample());
  if (has_deadline()) look = std::min(look, poll_timeout(start_.deadline_ms()));
  return ending_ == Ending::none ? look : std::min(look, poll_timeout(ending_deadline_));
}

// Samples what the tree uses, and ends the tree if a limit is exceeded. There is no grace period. The tree is first
// stopped (SIGSTOP), so that it does not grow while it is being killed.
void ServingCustodian::look() {
  // The cgroup is read first, so that the sample is taken after each refusal that the cgroup shows.
  const Limit refused = cgroup_.exceeded();
  const Limit seen = monitor_.sample(tree_, report_.user_us + report_.system_us, cgroup_.cpu_us());
  free_leader();
  if ((seen == Limit::none && refused == Limit::none) || report_.exceeded != Limit::none) return;
  report_.exceeded = seen != Limit::none ? seen : refused;
  report_.used = seen != Limit::none ? monitor_.used() : held_at(refused);
  tree_.stop();
  ending_ = Ending::forced;
}

// A process of the tree may trace the command itself. The command's death is then reported only to the tracer, until
// the tracer detaches. So the tracer is killed.
void ServingCustodian::free_leader() {
  ProcessStatus status;
  if (!leader_lives_ || !read_status(leader_, status) || !status.exiting) return;
  if (const pid_t tracer = read_tracer(leader_); tracer != 0) tree_.kill_member(tracer);
}

// The usage at the moment when the cgroup refused more: exactly the limit, which usage in a cgroup never exceeds.
std::uint64_t ServingCustodian::held_at(Limit exceeded) const {
  return exceeded == Limit::processes ? start_.limits().processes : start_.limits().memory_bytes;
}

// Finds the limit that the kernel itself enforced, if any. If the cgroup has refused nothing, the CPU time or a signal
// shows the limit.
void ServingCustodian::classify_exit() {
  if (report_.exceeded != Limit::none) return;
  if (const Limit refused = cgroup_.exceeded(); refused != Limit::none) {
    report_.exceeded = refused;
    report_.used = held_at(refused);
    return;
  }
  const ProtocolLimits& limits = start_.limits();
  const std::uint64_t cpu_us = std::max(report_.user_us + report_.system_us, cgroup_.cpu_us());
  if (limits.cpu_seconds != 0 && (cpu_us >= limits.cpu_seconds * 1'000'000 || died_of(report_.wait_status, SIGXCPU))) {
    report_.exceeded = Limit::cpu_seconds;
    report_.used = cpu_us;
  } else if (limits.file_bytes != 0 && died_of(report_.wait_status, SIGXFSZ)) {
    report_.exceeded = Limit::file_bytes;
    report_.used = limits.file_bytes;
  }
}

void ServingCustodian::take_message() {
  const Received received = receive_message(station_.socket, buffer_, sizeof buffer_);
  End end{};
  if (received.size < static_cast<ssize_t>(sizeof(Header))) {  // The plugin has closed its end.
    leave(orphaned_grace_ms);
    return;
  }
  std::memcpy(&end, buffer_, std::min(sizeof end, static_cast<std::size_t>(received.size)));
  if (end.header.kind == Kind::end && end.header.call == start_.call()) begin_end(end.grace_ms, EndedBy::end);
  if (end.header.kind == Kind::keep && end.header.call == start_.call()) return keep(received);
  for (std::size_t i = 0; i < received.descriptor_count; ++i) ::close(received.descriptors[i]);
  if (end.header.kind == Kind::retire) retiring_ = true;
}

// The command is over, and the call continues with its background processes. Answers only if some process is still
// alive. If none is, the report follows immediately, and no other answer is needed.
void ServingCustodian::keep(const Received& received) {
  // A cancellation has come first. The report says so.
  const bool is_ending = ending_ != Ending::none;
  for (std::size_t i = 0; i < received.descriptor_count; ++i) {
    if (i < 2 && !is_ending) {
      kept_output_[i] = received.descriptors[i];
      events_.add(kept_output_[i], kept_output);
    } else {
      ::close(received.descriptors[i]);
    }
  }
  reap();
  if (!tree_lives_ || is_ending) return;
  tree_.collect();
  report_.background_count = tree_.name_living(report_.background);
  report_.header.kind = Kind::kept;
  report();
  report_.header.kind = Kind::report;
}

// Reads a little at a time, so that a large amount of output delays nothing else.
void ServingCustodian::discard_kept_output() {
  for (int& output : kept_output_) {
    if (output < 0) continue;
    const ssize_t got = ::read(output, buffer_, sizeof buffer_);
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR))) continue;
    events_.remove(output);
    ::close(output);
    output = -1;
  }
}

void ServingCustodian::close_kept_output() {
  for (int& output : kept_output_) {
    if (output < 0) continue;
    events_.remove(output);
    ::close(output);
    output = -1;
  }
}

// Reaps every dead child. Orphans of the tree are also children of this process.
void ServingCustodian::reap() {
  for (;;) {
    int status = 0;
    rusage usage{};
    const pid_t dead = ::wait4(-1, &status, WNOHANG, &usage);
    if (dead == 0) return;
    if (dead < 0) {
      if (errno == EINTR) continue;
      tree_lives_ = false;  // ECHILD: nothing is left.
      return;
    }
    if (dead == leader_ && leader_lives_) {
      leader_lives_ = false;
      report_.wait_status = status;
    }
    const auto microseconds = [](const timeval& time) {
      return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000U + static_cast<std::uint64_t>(time.tv_usec);
    };
    report_.user_us += microseconds(usage.ru_utime);
    report_.system_us += microseconds(usage.ru_stime);
    report_.max_rss_kib = std::max(report_.max_rss_kib, static_cast<std::uint64_t>(usage.ru_maxrss));
    ++report_.reaped;
  }
}

// Only the command itself has a deadline, and not what it has left behind.
bool ServingCustodian::has_deadline() const {
  return start_.deadline_ms() != 0 && leader_lives_ && ending_ == Ending::none;
}

void ServingCustodian::begin_end(std::int64_t grace_ms, EndedBy by) {
  const std::int64_t deadline = now_ms() + grace_ms;
  if (ending_ == Ending::none) {
    report_.ended_by = by;
    ending_ = Ending::asked;
    ending_deadline_ = deadline;
    reap();
    tree_.collect();
    if (!leader_lives_) report_.background_count = tree_.name_living(report_.background);
    tree_.forget_asked();
    // Reaping comes first: a reaped process must not be asked, because its number may be that of another one.
    while (tree_.ask_to_end() && tree_lives_ && now_ms() < ending_deadline_) {
      reap();
      tree_.collect();
    }
  } else if (ending_ == Ending::asked) {
    ending_deadline_ = std::min(ending_deadline_, deadline);
  }
}

// Ends the call because the plugin, the host or the warden is gone: nobody could end the call later, or kill the tree
// if we die.
void ServingCustodian::leave(std::int64_t grace_ms) {
  // Nothing more is needed from these descriptors. They would stay readable, and each wait would end immediately.
  events_.remove(station_.socket);
  events_.remove(station_.host);
  events_.remove(station_.warden);
  retiring_ = true;
  begin_end(grace_ms, EndedBy::itself);
}

// Kills until no process of the tree is left. If some process does not die in time, reports the call, continues to
// kill, and does not return.
void ServingCustodian::kill_all() {
  const std::int64_t deadline = now_ms() + unkillable_after_ms;
  bool reported = false;
  int quiet_rounds = 0;
  for (int round = 0;; ++round) {
    const std::int64_t began = now_ms();
    cgroup_.kill();
    tree_.collect();
    quiet_rounds = tree_.kill() ? 0 : quiet_rounds + 1;
    reap();
    if (!tree_lives_) break;
    if (!reported && now_ms() >= deadline) {
      // Report now, but stay: these processes need a parent that keeps trying. wait(2) shows that at least one exists,
      // even if none can be seen.
      report_.unkillable_count = std::max(tree_.name_living(report_.unkillable), 1U);
      report();
      ::close(station_.socket);
      reported = true;
      retiring_ = true;
    }
    // The first rounds follow each other without a pause: only speed beats a tree that keeps forking. Once two rounds
    // have found no new process, the tree no longer forks. Further rounds would only take the processor from the dying
    // processes. So each further round is followed by a pause, which is longer than the round took and grows from round
    // to round.
    if (round > 20) rise_above_sessions();
    if (round > 20 || quiet_rounds > 1) {
      const std::int64_t pause = quiet_rounds > 1 ? (now_ms() - began) << std::min(quiet_rounds, 8) : 0;
      reap_for(std::min(pause, max_pause_ms), reported ? 200 : 2);
    }
  }
  if (reported) quit(station_);
}

// Reaps dying processes for at least `min_ms`, and then until another one has died or `max_ms` have passed. Returns
// immediately when no process is left. Ignores other events.
void ServingCustodian::reap_for(std::int64_t min_ms, std::int64_t max_ms) {
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  const std::int64_t began = now_ms();
  for (std::int64_t left = std::max(min_ms, max_ms); left > 0; left = began + std::max(min_ms, max_ms) - now_ms()) {
    const timespec time{left / 1000, left % 1000 * 1'000'000L};
    const bool died = ::sigtimedwait(&child_signal, nullptr, &time) > 0;
    reap();
    if (!tree_lives_ || (died && now_ms() - began >= min_ms)) return;
    // Without this pause, each of a thousand dying processes would wake us, and we would take the processor from the
    // others.
    constexpr timespec gathering{0, 1'000'000};
    if (died) ::nanosleep(&gathering, nullptr);
  }
}

void ServingCustodian::report() {
  report_.processes = leader_ > 0 ? monitor_.processes() : 0;
  report_.tree_kib = monitor_.tree_kib();
  send_message(station_.socket, &report_, sizeof report_);
}

void ServingCustodian::tell(Kind kind) {
  const Header header{kind, 0, start_.call()};
  send_message(station_.socket, &header, sizeof header);
}

void ServingCustodian::tell_running() {
  const Running running{{Kind::running, 0, start_.call()}, leader_, 0};
  send_message(station_.socket, &running, sizeof running);
}

}  // namespace

void tell_not_spawned(int socket, int error) {
  Report report{};
  report.header = {Kind::report, 0, 0};
  report.failed_stage = Stage::fork;
  report.error = error;
  report.abandoned = 1;
  send_message(socket, &report, sizeof report);
}

void quit(const CustodianStation& station) {
  ::syscall(SYS_pidfd_send_signal, station.warden, SIGCONT, nullptr, 0U);
  ::_exit(0);
}

void run_custodian(const CustodianStation& station) {
  ServingCustodian custodian(station);
  custodian.serve();
}

}  // namespace wtool::warden
