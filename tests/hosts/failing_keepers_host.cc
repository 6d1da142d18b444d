// Hosts whose helper programs (warden and custodians) are refused one system call, once: in the first host their first
// call, in the second their second, and so on until a host runs through without a refusal. This covers everything from
// the start of the warden to its end.
//
// Each host is a process under a filter that asks this program about every system call (seccomp's user notification).
// The host's helper programs and its command have the filter too; their names tell them apart. The command lists its
// descriptors, tries to write where a sandbox forbids it, and leaves a daemon. For each host this program checks:
// - the call returns within its deadline, its grace and a bound;
// - an answer without an error has all of the output, and the command saw no descriptor of the host and wrote no file
//   outside;
// - nothing of the command is left, and no helper program after the host's end.
//
// Usage: failing_keepers_host plain|sandboxed [FROM [EVERY]]
//   the numbers of the calls that are refused: FROM, FROM + EVERY, FROM + 2 * EVERY and so on. Each is 1 unless given
// Writes one line for each host that failed, and at the end how often each answer came, and the numbers of hosts and
// failures. Exits with 0 if all is well, and with 77 if the kernel has no such notification.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/pidfd.h"
#include "support/answered_calls.h"
#include "support/plugin.h"
#include "support/processes.h"
#include "support/program.h"

using namespace wtool::test;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds deadline{5000};
// The deadline, the grace period (1 s) and a margin, which is shorter than the wait for a report that never comes
// (7 s).
constexpr milliseconds bound = deadline + milliseconds(1000 + 5000);
constexpr int not_ours = 60;  // a descriptor of the host without close-on-exec

// What both sides of a fork see.
struct Shared {
  std::atomic<int> took_ms{-1};
  std::atomic<bool> go_on{false};
  char answer[8192];
};

// The error of a system call when the machine has run out of something.
int error_of(int call) {
  switch (call) {
    case SYS_clone:
    case SYS_clone3:
#ifdef SYS_vfork
    case SYS_vfork:
#endif
      return EAGAIN;
    case SYS_openat:
    case SYS_pidfd_open:
    case SYS_epoll_create1:
    case SYS_signalfd4:
    case SYS_fcntl:
#ifdef SYS_dup2
    case SYS_dup2:
#endif
      return EMFILE;
    case SYS_sendmsg:
      return ENOBUFS;
    case SYS_epoll_pwait:
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_wait4:
    case SYS_rt_sigtimedwait:
      return EINTR;
    default:
      return ENOMEM;
  }
}

struct Place {
  ScratchFolder scratch;
  std::string inside = scratch.path() + "/inside";
  std::string outside = scratch.path() + "/outside";
  Place() {
    mkdir(inside.c_str(), 0777);
    mkdir(outside.c_str(), 0777);
  }
};

// Runs the host, in its own process.
[[noreturn]] void be_host(const SharedMemory<Shared>& shared, const ListenerHandover& handover, bool sandboxed,
                          const Place& place, const Mark& mark) {
  Json config{{"limits", {{"grace_seconds", 1}}}};
  if (sandboxed) config["sandbox"] = {{"write", {place.inside}}, {"protect", "none"}, {"required", true}};
  {
    Plugin plugin;
    const ToolUnderTest tool(plugin, config);
    const Json arguments{{"command", "setsid sleep 61 >/dev/null 2>&1 & (: >" + place.outside +
                                         "/written) 2>/dev/null && echo written; ls /proc/self/fd"},
                         {"working_directory", place.inside},
                         {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}};
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(file, not_ours);
    close(file);
    handover.install();
    const Answer answer = tool.run(arguments, {.deadline_ms = static_cast<std::uint64_t>(deadline.count())});
    std::snprintf(shared->answer, sizeof shared->answer, "%s",
                  answer.status != WTOOL_OK ? ("no answer: " + answer.error).c_str()
                  : answer.is_error()       ? ("error: " + answer.code() + " " + answer.text()).c_str()
                                            : ("fine: " + answer.out()).c_str());
    shared->took_ms = static_cast<int>(answer.took.count());
    while (!shared->go_on) usleep(1000);
  }
  _exit(0);
}

// One host, and the answers to its own system calls and those of its helpers.
class Supervised {
 public:
  // How many answers of each kind there were.
  static inline std::map<std::string, int> answers;

  Supervised(bool sandboxed, const Place& place, long point) : point_(point) {
    host_ = fork();
    if (host_ == 0) be_host(shared_, handover_, sandboxed, place, mark_);
    handle_ = wtool::open_process(host_);
    listener_ = handover_.take(handle_);
  }
  ~Supervised() {
    kill(host_, SIGKILL);
    waitpid(host_, nullptr, 0);
  }
  Supervised(const Supervised&) = delete;
  Supervised& operator=(const Supervised&) = delete;

  bool works() const { return listener_ != nullptr; }
  long calls() const { return counted_; }
  bool refused() const { return refused_call_ >= 0; }
  bool fine() const { return fine_; }
  std::string what() const {
    return "call " + std::to_string(point_) + " (number " + std::to_string(refused_call_) + " of " + refused_in_ + ")";
  }

  // What is wrong; empty when nothing is.
  std::string check(bool sandboxed) {
    std::string wrong;
    const auto add = [&](const std::string& text) { wrong += (wrong.empty() ? "" : "; ") + text; };
    if (!serve_until([&] { return shared_->took_ms >= 0; }, bound + milliseconds(20'000))) add("no answer at all");
    const std::string answer = shared_->answer;
    if (shared_->took_ms > bound.count()) add("took " + std::to_string(shared_->took_ms) + " ms");
    if (answer.starts_with("fine: ") && answer != (sandboxed ? "fine: 0\n1\n2\n3\n" : "fine: written\n0\n1\n2\n3\n")) {
      add("an answer without an error that is wrong");
    }
    if (!serve_until([&] { return mark_.bearers().empty(); }, milliseconds(1000))) add("left " + mark_.description());
    shared_->go_on = true;
    if (!serve_until([&] { return wtool::has_ended(handle_); }, milliseconds(20'000))) add("the host does not end");
    if (!serve_until([&] { return none_lives(); }, milliseconds(10'000))) add("helper programs live on");
    // The first words of the answer say how the call ended.
    const std::string kind = answer.substr(0, answer.find(' ', answer.find(' ') + 1));
    ++answers[answer.starts_with("fine: ") ? "fine" : kind];
    if (answer.starts_with("no answer: ")) add("no result");
    fine_ = answer.starts_with("fine: ");
    if (!wrong.empty()) wrong += " [" + answer + "]";
    for (const pid_t pid : mark_.bearers()) kill(pid, SIGKILL);
    return wrong;
  }

 private:
  bool none_lives() const {
    for (const auto& [pid, name] : keepers_) {
      const char state = state_of(pid);
      if (state != 0 && state != 'Z' && name_of(pid) == name) return false;
    }
    return true;
  }

  bool serve_until(const std::function<bool()>& done, milliseconds limit) {
    return listener_->answer_until(done, limit, [this](const seccomp_notif& asked) { return error_for(asked); });
  }

  int error_for(const seccomp_notif& asked) {
    const auto pid = static_cast<pid_t>(asked.pid);
    const std::string name = name_of(pid);
    if (name != "shell-warden" && name != "custodian") return 0;
    keepers_[pid] = name;
    if (++counted_ != point_) return 0;
    refused_call_ = asked.data.nr;
    refused_in_ = name;
    return error_of(asked.data.nr);
  }

  const Mark mark_;
  const long point_;
  const SharedMemory<Shared> shared_;
  const ListenerHandover handover_;
  pid_t host_ = -1;
  wtool::Descriptor handle_;
  std::unique_ptr<CallListener> listener_;
  long counted_ = 0;
  int refused_call_ = -1;
  bool fine_ = false;
  std::string refused_in_;
  std::map<pid_t, std::string> keepers_;
};

}  // namespace

int main(int count, char** words) {
  if (count < 2) return 2;
  const bool sandboxed = std::string(words[1]) == "sandboxed";
  const long every = count > 3 ? std::atol(words[3]) : 1;
  int failures = 0;
  long point = count > 2 ? std::atol(words[2]) : 1;
  std::set<std::string> kinds;
  // On a busy machine, the deadline may pass before the call that is to be refused. Then the host is run once more.
  int in_vain = 0, hosts = 0;
  for (bool more = true; more; point += in_vain == 0 ? every : 0) {
    ++hosts;
    const Place place;
    Supervised host(sandboxed, place, point);
    if (!host.works()) return 77;
    std::string wrong = host.check(sandboxed);
    in_vain = host.refused() || host.fine() ? 0 : in_vain + 1;
    if (in_vain == 3) wrong = "an error, and no call was refused";
    more = in_vain > 0 ? in_vain < 3 : host.refused();
    if (host.refused()) kinds.insert(host.what().substr(host.what().find('(')));
    if (wrong.empty()) continue;
    std::printf("%s: %s\n", host.what().c_str(), wrong.c_str());
    std::fflush(stdout);
    ++failures;
  }
  for (const auto& [kind, number] : Supervised::answers) std::printf("%s: %d\n", kind.c_str(), number);
  std::printf("%d hosts, %zu kinds of calls, %d failures\n", hosts, kinds.size(), failures);
  return failures == 0 ? 0 : 1;
}
