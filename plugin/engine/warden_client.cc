#include "engine/warden_client.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <iterator>
#include <thread>
#include <utility>

#include "engine/backstop.h"
#include "engine/cgroup.h"
#include "engine/sandbox/ruleset.h"
#include "system/process_files.h"
#include "system/process_tree.h"
#include "warden/protocol.h"

namespace wtool::engine {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// If a warden takes longer than this to kill a tree, the plugin helps it. Even a healthy warden takes longer for a
// large tree, and then the help does no harm.
constexpr milliseconds kill_time{200};
// For 5 s, the warden keeps trying to kill what does not die. A warden that takes longer than 7 s is not healthy.
constexpr milliseconds max_kill_time{7000};
constexpr milliseconds round_time{20};
// How long the warden may take to end when the client is destroyed. Its custodians kill for at most 5 s.
constexpr int end_ms = 8'000;
// After this time, a command is suspected of having stopped the warden.
constexpr int quick_end_ms = 1'000;

// How long a leaving warden (WardenClient::Leaving) may take to end after its last call.
constexpr milliseconds leave_time{1000};

void send_header(int socket, warden::Kind kind) {
  const warden::Header header{kind, 0, 0};
  warden::send_message(socket, &header, sizeof header);
}

}  // namespace

WardenClient::~WardenClient() {
  const std::lock_guard lock(mutex_);
  if (warden_ && warden_->serves_us()) {  // After a fork, the warden is the parent's.
    for (const Custodian& custodian : idle_) send_header(custodian.socket.get(), warden::Kind::retire);
    send_header(warden_->control(), warden::Kind::retire);
    const auto ends = [&](int patience) {
      if (warden_->wait_end(patience)) return true;
      warden_->wake();
      return false;
    };
    if (!ends(quick_end_ms) && !ends(end_ms)) warden_->kill();
  }
  see_to_ends();
  for (const auto end = Clock::now() + milliseconds(end_ms); !leaving_.empty() && Clock::now() < end;) {
    leaving_.front().warden->wait_end(round_time.count());
    see_to_ends();
  }
  for (const Leaving& one : leaving_) one.warden->kill();
}

bool WardenClient::acquire(Custodian& custodian, const Patience& patience, CustodyError& error,
                           std::string_view shared_filter, const std::shared_ptr<SignalScope>& scope) {
  for (;;) {
    if (!(scope ? find_in(scope, shared_filter, custodian, patience, error)
                : find(custodian, -1, shared_filter, patience, error))) {
      return false;
    }
    // An idle custodian is found without a look at the clock, but no command may start after the call's deadline.
    if (!patience.over() && (custodian.checked || custodian.inspect())) return true;
    custodian.kill();
    custodian = {};
    if (patience.over()) {
      error = {0, "the call's time ran out while a custodian was looked for"};
      return false;
    }
  }
}

// With a ruleset (not -1), makes a new scope keeper instead of finding a custodian.
bool WardenClient::find(Custodian& custodian, int ruleset, std::string_view shared_filter, const Patience& patience,
                        CustodyError& error) {
  for (;;) {
    switch (take(custodian, ruleset < 0, shared_filter)) {
      case Found::custodian:
        return true;
      case Found::warden:
        if (spawn_custodian(nullptr, ruleset, custodian, patience, error)) return true;
        if (patience.over() || error.error != EPIPE) return false;
        give_up(*custodian.warden);  // The warden has just retired, so another one is started.
        break;
      case Found::nothing:
        if (!start_warden(patience, error)) return false;
        break;
      case Found::being_started: {
        std::unique_lock lock(mutex_);
        started_.wait_for(lock, round_time, [&] { return !starting_; });
        break;
      }
    }
    if (patience.over()) {
      error = {0, "the call's time ran out while the helper program was being started"};
      return false;
    }
  }
}

namespace {

// How long a scope keeper may take to make a custodian. A healthy one needs far less.
constexpr milliseconds keeper_time{2000};

// Waits until the custodian that a keeper makes has reported its number and pidfd, without which it could not be
// killed.
bool await_spawned(Custodian& keeper, Custodian& custodian, const Patience& patience, CustodyError& error) {
  error = {0, "the helper program that supervises the session's commands does not answer"};
  const auto end = Clock::now() + keeper_time;
  while (Clock::now() < end && !patience.over()) {
    if (!patience.await(custodian.socket.get(), POLLIN, wake_interval)) {
      if (!keeper.idle_and_alive()) return false;
      keeper.wake();
      continue;
    }
    warden::Report report{};
    if (custodian.receive(report).size < static_cast<ssize_t>(sizeof(warden::Header))) return false;
    if (report.header.kind == warden::Kind::custodian_spawned) return static_cast<bool>(custodian.handle);
    error = {report.error, std::string("no process can be made for it: ") + std::strerror(report.error)};
    return false;
  }
  return false;
}

}  // namespace

bool WardenClient::find_in(const std::shared_ptr<SignalScope>& scope, std::string_view shared_filter,
                           Custodian& custodian, const Patience& patience, CustodyError& error) {
  std::vector<Custodian> idle;
  Custodian keeper;
  {
    const std::lock_guard lock(scope->mutex_);
    idle.swap(scope->idle_);
    keeper = std::exchange(scope->keeper_, {});
  }
  const auto give_back = [&] {
    const std::lock_guard lock(scope->mutex_);
    scope->keeper_ = std::move(keeper);
    custodian.scope = scope;
    return true;
  };
  if (!serves(keeper)) keeper = {};
  while (keeper.socket && !idle.empty()) {
    custodian = std::move(idle.back());
    idle.pop_back();
    if (serves(custodian) && custodian.accepts(shared_filter) && custodian.idle_and_alive()) return give_back();
  }
  // A command of the session may have ended or stopped the keeper. Then another keeper is made, once.
  for (int attempt = 0; attempt < 2 && !patience.over(); ++attempt) {
    if (!keeper.socket || !keeper.idle_and_alive()) {
      const Descriptor ruleset = make_scope(error.detail);
      if (!ruleset || !find(keeper, ruleset.get(), {}, patience, error)) return false;
    }
    custodian = {};
    custodian.warden = keeper.warden;
    if (spawn_custodian(&keeper, -1, custodian, patience, error) && await_spawned(keeper, custodian, patience, error)) {
      return give_back();
    }
    keeper.kill();
    keeper = {};
  }
  return false;
}

// True if the custodian's warden is the one that serves now.
bool WardenClient::serves(const Custodian& custodian) {
  const std::lock_guard lock(mutex_);
  return custodian.warden && custodian.warden == warden_ && warden_->serves_us() && warden_->serves();
}

// Takes an idle custodian, if one is wanted and there is one. Otherwise takes the warden, which can make one. On
// Found::nothing, the caller must start a warden.
WardenClient::Found WardenClient::take(Custodian& custodian, bool idle_one, std::string_view shared_filter) {
  const std::lock_guard lock(mutex_);
  see_to_ends();
  if (warden_ && !(warden_->serves_us() && warden_->serves())) forget_warden();
  while (idle_one && take_idle(custodian, shared_filter)) {
    if (!custodian.idle_and_alive()) continue;
    note_turn(custodian);
    return Found::custodian;
  }
  custodian = {};
  ++turn_;
  custodian.warden = warden_;
  if (warden_) return Found::warden;
  if (starting_) return Found::being_started;
  starting_ = true;
  return Found::nothing;
}

// Takes the most recently used idle custodian that has entered this filter, or else one that has entered none. If those
// without a filter were taken first, alternating commands with and without a sandbox would each need a new custodian.
bool WardenClient::take_idle(Custodian& custodian, std::string_view shared_filter) {
  const auto last_with = [&](std::string_view filter) {
    return std::find_if(idle_.rbegin(), idle_.rend(), [&](const Custodian& one) { return one.filter == filter; });
  };
  auto found = last_with(shared_filter);
  if (found == idle_.rend()) found = last_with({});
  if (found == idle_.rend()) return false;
  custodian = std::move(*found);
  idle_.erase(std::next(found).base());
  return true;
}

// A custodian checks itself after each call, but that check misses what another command does to it later. So the check
// is repeated before the next call. This is not necessary if there was no other command: this custodian was the only
// one in use when it was taken last, and no other has been taken since.
void WardenClient::note_turn(Custodian& custodian) {
  custodian.checked = custodian.alone && custodian.turn == turn_;
  // Each custodian, including those of sessions, shares the ownership of its warden. So the use count is higher if
  // another custodian is in use.
  const auto idle_users = static_cast<long>(idle_.size()) + 2;  // + 2: warden_ and `custodian`
  custodian.alone = leaving_.empty() && warden_.use_count() == idle_users;
  custodian.turn = ++turn_;
}

bool WardenClient::start_warden(const Patience& patience, CustodyError& error) {
  std::shared_ptr<WardenProcess> warden;
  const auto over = [&] {
    const std::lock_guard lock(mutex_);
    warden_ = warden;
    starting_ = false;
    started_.notify_all();
  };
  try {
    warden = WardenProcess::start(warden_path_, patience, error);
  } catch (...) {
    over();
    throw;
  }
  over();
  return warden != nullptr;
}

// Asks the scope keeper for a custodian or, without a scope keeper, the warden.
bool WardenClient::spawn_custodian(const Custodian* keeper, int ruleset, Custodian& custodian, const Patience& patience,
                                   CustodyError& error) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    error = {errno, std::string("no socket can be made for its custodian: ") + std::strerror(errno)};
    return false;
  }
  custodian.socket = Descriptor(pair[0]);
  const Descriptor theirs(pair[1]);
  custodian.number = next_number_++;
  const warden::SpawnCustodian spawn_custodian{{warden::Kind::spawn_custodian, 0, 0}, custodian.number};
  const int sent[] = {theirs.get(), ruleset};
  const int asked = keeper != nullptr ? keeper->socket.get() : custodian.warden->control();
  while (!warden::send_message(asked, &spawn_custodian, sizeof spawn_custodian, sent, ruleset < 0 ? 1 : 2)) {
    const int failed = errno;
    error = {failed == ECONNRESET ? EPIPE : failed,
             std::string("the warden cannot be reached: ") + std::strerror(failed)};
    if (failed != EAGAIN || patience.over()) return false;
    // The keeper's queue is full: it is busy, or a command has sent it SIGSTOP.
    if (keeper != nullptr) keeper->wake();
    custodian.warden->wake();
    patience.await(asked, POLLOUT, wake_interval);
  }
  return true;
}

void WardenClient::forget_warden() {
  if (warden_->serves_us()) {  // After a fork, the warden and its custodians are the parent's.
    leaving_.push_back({warden_, Clock::now()});
    for (Custodian& custodian : idle_) {
      custodian.idle_and_alive();  // Reads its process number, if that has not been read yet.
      custodian.kill();            // It has no processes, but it may be stopped, and its warden dead.
    }
  }
  idle_.clear();
  warden_.reset();
}

namespace {

bool nothing_lives_below(pid_t process) noexcept {
  try {
    ProcessTree tree(process);
    NamedProcess ignored[max_named];
    return tree.collect() && tree.name_living(ignored) == 0;
  } catch (...) {  // No memory.
    return false;
  }
}

}  // namespace

// A leaving warden ends by itself after its last call. If it does not, something keeps stopping it, so it is sent
// SIGCONT. If that does not help, it is killed, but only if no process lives below it, since such a process would be
// lost.
void WardenClient::see_to_ends() noexcept {
  std::erase_if(leaving_, [](Leaving& one) {
    const WardenProcess& warden = *one.warden;
    if (!warden.serves_us() || !warden.alive()) return true;
    warden.wake();
    const auto now = Clock::now();
    if (one.warden.use_count() > 1) one.since = now;
    if (now - one.since >= leave_time && nothing_lives_below(warden.process())) warden.kill();
    return false;
  });
}

void WardenClient::give_up(const WardenProcess& warden) {
  const std::lock_guard lock(mutex_);
  if (warden_.get() == &warden) forget_warden();
}

void WardenClient::take_back(Custodian custodian, const warden::Report& report) {
  // A custodian that still has something to kill is not used again, and neither is one that is about to end.
  if (report.unkillable_count > 0) return;
  if (report.abandoned == 0) {
    release(std::move(custodian));
  } else {
    custodian.kill();  // A command may have stopped it, and nobody else would kill it.
  }
}

void WardenClient::release(Custodian custodian) {
  if (const auto scope = std::exchange(custodian.scope, nullptr)) {
    const std::lock_guard lock(scope->mutex_);
    // If there is no room, the custodian's socket is closed here, and the custodian ends.
    if (scope->idle_.size() < SignalScope::max_idle) scope->idle_.push_back(std::move(custodian));
    return;
  }
  const std::lock_guard lock(mutex_);
  if (custodian.warden == warden_) {
    if (idle_.size() == max_idle) {
      // The oldest one is retired, because its filter may no longer be in use.
      send_header(idle_.front().socket.get(), warden::Kind::retire);
      idle_.erase(idle_.begin());
    }
    idle_.push_back(std::move(custodian));
  } else {
    send_header(custodian.socket.get(), warden::Kind::retire);
  }
  see_to_ends();
}

namespace {

// Asks the warden to kill the tree. The answer arrives at the returned descriptor. Empty: the warden cannot be asked.
Descriptor ask_to_kill(const Custodian& custodian) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) return {};
  Descriptor ours(pair[0]);
  const Descriptor theirs(pair[1]);  // Closed here, so that a warden that dies closes the only other end.
  const warden::KillTree kill_tree{{warden::Kind::kill_tree, 0, 0}, custodian.number};
  const int sent[] = {theirs.get(), custodian.handle.get()};
  const bool asked =
      warden::send_message(custodian.warden->control(), &kill_tree, sizeof kill_tree, sent, custodian.handle ? 2 : 1);
  custodian.warden->wake();
  return asked ? std::move(ours) : Descriptor();
}

// Takes the answer if it comes within `patience`. False: no answer has come.
bool await_tree_killed(Descriptor& answer, milliseconds patience, TreeEnd& result) {
  if (!answer || !has_event(answer.get(), POLLIN, patience)) return false;
  warden::TreeKilled tree_killed{};
  if (warden::receive_message(answer.get(), &tree_killed, sizeof tree_killed).size != sizeof tree_killed) {
    answer.reset();  // The warden has died, or retired.
    return false;
  }
  result.certain = true;
  result.unkillable = {tree_killed.unkillable_count, names_of(tree_killed.unkillable, tree_killed.unkillable_count)};
  return true;
}

// Ends the processes below the custodian, and then the custodian. Stops early if the warden answers.
void end_without_warden(const Custodian& custodian, Descriptor& answer, TreeEnd& result) {
  Backstop backstop(custodian);
  const auto end = Clock::now() + max_kill_time;
  for (int quiet_rounds = 0;;) {
    const std::uint32_t living = backstop.kill_once();
    quiet_rounds = living == 0 ? quiet_rounds + 1 : 0;
    if (quiet_rounds >= 2 && backstop.sees_all()) {
      // The custodian is killed only once everything below it is dead: without the custodian, those processes could no
      // longer be found.
      custodian.kill();
      result.certain = true;
      return;
    }
    if (await_tree_killed(answer, round_time, result)) return;
    if (!answer) std::this_thread::sleep_for(milliseconds(1));
    if (!backstop.sees_all() || Clock::now() >= end) {
      result.unkillable = {living, backstop.living()};
      custodian.kill();  // If the warden lives, it inherits the remaining processes, and kills them.
      return;
    }
  }
}

// Processes of this user that began after `began` and whose parent is gone. Some may belong to other programs.
std::vector<ProcessName> orphans_since(Clock::time_point began, pid_t reaper) {
  std::vector<ProcessName> found;
  if (reaper == 0) return found;
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const std::chrono::duration<double> ago = Clock::now() - began;
  const double since = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 - ago.count();
  const auto since_ticks = static_cast<std::uint64_t>(since * static_cast<double>(::sysconf(_SC_CLK_TCK)));
  for_each_number("/proc", [&](pid_t process) {
    ProcessStatus status;
    struct stat owner {};
    const std::string folder = "/proc/" + std::to_string(process);
    if (read_status(process, status) && status.parent == reaper && !status.exiting &&
        status.started_ticks >= since_ticks && ::stat(folder.c_str(), &owner) == 0 && owner.st_uid == ::geteuid()) {
      found.push_back({process, status.name});
    }
    return found.size() < max_named;
  });
  return found;
}

}  // namespace

TreeEnd WardenClient::kill_tree(Custodian custodian, std::uint64_t call, Clock::time_point began) noexcept {
  TreeEnd result;
  custodian.idle_and_alive();  // Reads its process number, if that has not been read yet.
  try {
    Descriptor answer = ask_to_kill(custodian);
    if (await_tree_killed(answer, kill_time, result)) return result;
    if (kill_cgroup(custodian.warden->cgroup_base(), custodian.process, call)) {
      custodian.kill();
      result.certain = true;
    } else {
      end_without_warden(custodian, answer, result);
      if (!result.certain) result.suspects = orphans_since(began, custodian.warden->reaper());
    }
  } catch (...) {
    // There is no memory, not even for names. The custodian's death hands everything to the warden, which kills it.
    custodian.kill();
  }
  custodian.warden->wake();  // A leaving warden cannot exit while it is stopped (SIGSTOP).
  return result;
}

}  // namespace wtool::engine
