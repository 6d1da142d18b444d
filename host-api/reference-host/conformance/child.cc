#include "conformance/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>

#include "base/calm_poll.h"
#include "base/descriptor.h"
#include "base/files.h"
#include "base/json.h"
#include "base/json_reader.h"
#include "base/pidfd.h"

namespace wtool::host::conformance {

namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::size_t max_reports = 1 << 20;  // bytes
constexpr std::size_t max_output = 4096;
constexpr std::chrono::seconds killing{5};  // how long killed processes may take to end
constexpr int high_descriptor = 200;        // a number that the plugin's own descriptors do not reach

[[noreturn]] void fail(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// The children of this process. Nothing: the kernel does not list them (CONFIG_PROC_CHILDREN).
std::optional<std::vector<pid_t>> children() {
  const std::string self = std::to_string(::getpid());
  std::ifstream list("/proc/self/task/" + self + "/children");
  if (!list) return std::nullopt;
  std::vector<pid_t> all;
  for (pid_t child = 0; list >> child;) all.push_back(child);
  return all;
}

std::string name_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/comm");
  std::string name;
  std::getline(file, name);
  return (name.empty() ? "?" : name) + " (" + std::to_string(process) + ')';
}

// Blocks SIGCHLD while this object exists, so that wait() can wait for the signal.
class ChildSignals {
 public:
  ChildSignals() {
    ::sigemptyset(&waited_for_);
    ::sigaddset(&waited_for_, SIGCHLD);
    ::sigprocmask(SIG_BLOCK, &waited_for_, &before_);
  }
  ~ChildSignals() { restore(); }
  ChildSignals(const ChildSignals&) = delete;
  ChildSignals& operator=(const ChildSignals&) = delete;
  void restore() const { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }
  void wait(std::chrono::milliseconds at_most) const {
    const auto ms = std::max<std::chrono::milliseconds::rep>(at_most.count(), 0);
    const timespec time{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000) * 1'000'000};
    ::sigtimedwait(&waited_for_, nullptr, &time);
  }

 private:
  sigset_t waited_for_{}, before_{};
};

std::chrono::milliseconds until(Clock::time_point end) {
  return std::chrono::ceil<std::chrono::milliseconds>(std::max(end - Clock::now(), Clock::duration::zero()));
}

// The processes that a test left to its reaper, which is this process.
class Orphans {
 public:
  Orphans() : strangers_(children().value_or(std::vector<pid_t>())) {}

  // Waits for the orphans to end, at most `patience`, and returns the names of those that are still alive.
  std::vector<std::string> wait(const ChildSignals& signals, std::chrono::milliseconds patience) {
    const auto end = Clock::now() + patience;
    while (true) {
      const std::vector<pid_t> alive = reap();
      if (alive.empty()) return {};
      if (Clock::now() >= end) {
        std::vector<std::string> names;
        names.reserve(alive.size());
        for (const pid_t process : alive) names.push_back(name_of(process));
        return names;
      }
      signals.wait(until(end));
    }
  }

  void kill(const ChildSignals& signals) {
    const auto end = Clock::now() + killing;
    for (std::vector<pid_t> alive = reap(); !alive.empty() && Clock::now() < end; alive = reap()) {
      for (const pid_t process : alive) ::kill(process, SIGKILL);
      signals.wait(until(end));
    }
  }

 private:
  // Reaps the orphans that have ended, and returns the others.
  std::vector<pid_t> reap() {
    while (true) {
      const auto listed = children();
      if (!listed) return {};
      std::vector<pid_t> alive;
      bool has_reaped = false;
      for (const pid_t child : *listed) {
        if (std::find(strangers_.begin(), strangers_.end(), child) != strangers_.end()) continue;
        const pid_t ended = ::waitpid(child, nullptr, WNOHANG | __WALL);
        if (ended == 0) alive.push_back(child);
        has_reaped = has_reaped || ended > 0;
      }
      // The kernel may leave a child out of its list while another child ends, so an empty list proves nothing.
      if (!alive.empty() || (!has_reaped && (!strangers_.empty() || !has_children()))) return alive;
    }
  }

  std::vector<pid_t> strangers_;  // children that this program had before the test
};

class Reaper {
 public:
  Reaper() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  ~Reaper() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

 private:
  int before_ = 0;
};

void prepare(int output) {
  const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(nothing.get(), STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  ::signal(SIGXFSZ, SIG_DFL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void take(std::string& text, ChildEnd& end) {
  for (std::size_t line = 0; (line = text.find('\n')) != std::string::npos; text.erase(0, line + 1)) {
    const json message = parse_json(text.substr(0, line));
    if (!message.is_array() || message.size() != 3 || !message[0].is_string() || !message[1].is_string()) continue;
    const std::string kind = message[0];
    if (kind == "end") {
      end.ended = true;
    } else if (kind == "step") {
      end.rule = message[1];
      end.doing = message[2].is_string() ? message[2].get<std::string>() : "";
    } else {
      end.reports.push_back({kind, message[1], message[2]});
    }
  }
}

// Reads what is available. False: the end of the stream.
bool read_some(int descriptor, std::string& text, std::size_t& total) {
  char buffer[4096];
  const ssize_t n = ::read(descriptor, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR;
  total += static_cast<std::size_t>(n);
  if (total <= max_reports) text.append(buffer, static_cast<std::size_t>(n));
  return n > 0;
}

std::string death_of(int status, bool limit_passed, std::chrono::milliseconds limit) {
  if (limit_passed)
    return "did not return within " + std::to_string(limit.count()) + " ms; --timeout gives it more time";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "died of signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ')';
  }
  return "ended its host with exit status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

bool has_children() {
  siginfo_t unused{};
  return ::waitid(P_ALL, 0, &unused, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0;
}

void Reporter::send(const json& message) { write_all(descriptor_, dumped_as_ascii(message) + '\n'); }

void Reporter::step(std::string_view rule, std::string_view doing) { send({"step", rule, doing}); }

void Reporter::finding(std::string_view rule, const std::string& text) { send({"finding", rule, text}); }

void Reporter::skip(const std::string& why) { send({"skip", "", why}); }

void Reporter::end() { send({"end", "", ""}); }

void Reporter::fact(const std::string& name, json value) { send({"fact", name, std::move(value)}); }

ChildEnd run_in_child(const std::function<void(Reporter&)>& test, std::chrono::milliseconds limit,
                      std::chrono::milliseconds patience) {
  const Reaper reaper;
  const ChildSignals signals;
  Orphans orphans;
  int pipe_ends[2];
  if (::pipe2(pipe_ends, O_CLOEXEC) != 0) fail("a pipe");
  const Descriptor reading(pipe_ends[0]);
  Descriptor writing(::fcntl(pipe_ends[1], F_DUPFD_CLOEXEC, high_descriptor));
  ::close(pipe_ends[1]);
  const Descriptor output(::memfd_create("output", MFD_CLOEXEC));
  if (writing.get() < 0 || output.get() < 0) fail("descriptors for a test");
  ::fcntl(output.get(), F_SETFL, O_APPEND);
  ::fcntl(reading.get(), F_SETFL, O_NONBLOCK);

  const pid_t child = ::fork();
  if (child < 0) fail("a process for a test");
  if (child == 0) {
    signals.restore();
    prepare(output.get());
    ::close(reading.get());
    ::close(output.get());
    Reporter reporter(writing.get());
    test(reporter);
    reporter.end();
    ::_exit(0);
  }
  writing = Descriptor();
  // The test is over when the child process ends, not when the pipe does: processes that the plugin has started may
  // keep copies of the pipe open.
  const Descriptor process = open_process(child);

  ChildEnd end;
  std::string text;
  std::size_t total = 0;
  bool open = true;
  bool running = true;
  bool limit_passed = false;
  const auto deadline = Clock::now() + limit;
  while (running) {
    pollfd watched[] = {{process.get(), POLLIN, 0}, {open ? reading.get() : -1, POLLIN, 0}};
    const auto wait = until(deadline);
    calm_poll(watched, 2, static_cast<int>(wait.count()));
    // The deadline is checked even while reports arrive: a child that reports endlessly must end, too.
    if (watched[0].revents == 0 && Clock::now() >= deadline) {
      limit_passed = true;
      ::kill(child, SIGKILL);
      break;
    }
    if (watched[1].revents != 0) open = read_some(reading.get(), text, total);
    if (watched[0].revents != 0) running = false;
    take(text, end);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  while (open && read_some(reading.get(), text, total)) {
  }
  take(text, end);
  // If the plugin ended the process after the last report, the process's wait status shows that.
  if (!end.ended || status != 0) {
    end.ended = false;
    end.death = death_of(status, limit_passed, limit);
  } else {
    end.left = orphans.wait(signals, patience);
  }
  orphans.kill(signals);
  char buffer[max_output];
  const ssize_t written = ::pread(output.get(), buffer, sizeof buffer, 0);
  if (written > 0) end.output.assign(buffer, static_cast<std::size_t>(written));
  return end;
}

}  // namespace wtool::host::conformance
