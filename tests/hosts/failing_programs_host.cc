// Programs of `wtool` that are refused one system call, once: in the first run the first call, in the second run the
// second one, and so on until a run ends without a refusal. Each call that can fail does so with each of its usual
// errors.
//
// A program under test runs under a filter that asks this host about every system call. The program's helper programs
// and commands have the filter too, but their calls always go to the kernel (failing_keepers_host refuses those of the
// helper programs). For each run this host checks:
// - it ends within a bound, and not by a signal;
// - nothing of its commands is left;
// - if it exits with 0, the files that it was to write are right, and its journal has the records of a run without a
//   refusal, unless it says what it lacks: the journal, the cache or a kept file;
// - if it exits with another status, it says why;
// - a server answers every request, unless it ends.
// If the run has an audit trail, this host also checks:
// - the trail is whole, each command that ran is on record, and so is the end of each call unless the run says that it
//   cannot write the trail;
// - `wtool runs` lists the run with the status that it ended with, and `wtool report` reads it, unless the run says that
//   it has no journal;
// - what the run has kept is right;
// - two undisturbed runs after it succeed with right results, the second one without the step that is up to date.
//
// Usage: failing_programs_host KIND [FROM [EVERY]]
//   run: steps one after the other and side by side, on files. terminal: the same on a terminal. features: a step with
//   a cache, kept files, a lock and a service. mcp: a server with two calls.
//   stores, hits, changes, returns: a run with a journal, an audit trail that is rotated, a cached step, kept files, and
//   an output that is passed on as a file. stores: the first run. hits: the step is up to date, and its output is
//   missing. changes: its inputs have changed. returns: they have changed back, but the output of the change is there.
//   The numbers of the pairs of a call and an error: FROM, FROM + EVERY and so on. Each is 1 unless given.
// Writes one line for each run that failed a check, and at the end how often the runs ended in each way, and the
// numbers of runs and failures. Exits with 0 if all is well, and with 77 if the kernel has no such notification.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/pidfd.h"
#include "base/text.h"
#include "support/answered_calls.h"
#include "support/plugin.h"
#include "support/processes.h"
#include "support/program.h"
#include "support/text.h"

using namespace wtool::test;

namespace {

using std::chrono::milliseconds;

constexpr milliseconds bound{20'000};

constexpr const char* steps_workflow = R"(---
title: Steps
---

```mermaid
stateDiagram-v2
  [*] --> first
  state fork <<fork>>
  state join <<join>>
  first --> fork
  fork --> left
  fork --> right
  left --> join
  right --> join
  join --> last
  last --> [*]
```

## Actions

- first: Shell "echo one" result="one"
- left: Shell "echo left of ${one}" result="a"
- right: Shell "echo right; setsid sleep 61 >/dev/null 2>&1 &" result="b"
- last: Shell "printf '%s\n' ${one} ${a} ${b} > written; cat written"
)";

constexpr const char* features_workflow = R"(---
title: Features
---

```mermaid
stateDiagram-v2
  [*] --> serve
  serve --> build
  build --> again
  again --> count
  count --> [*]
```

## Actions

- serve: Service "echo up > served; exec sleep 61" ready="test -s served" ready_timeout=9s
- build: Shell "cat source > written; echo built" inputs=["source"] outputs=["written"] cache=true keep=["written"]
- again: Shell "cat source > written; echo built" inputs=["source"] outputs=["written"] cache=true
- count: Shell "mkdir busy && echo ${matrix.n} && rmdir busy" lock="counter" matrix={"n": [1, 2]}
)";

// The name of the file in `made` is an input. `ran` lists the steps that have really run.
constexpr const char* recorded_workflow = R"(---
title: Recorded
---

```mermaid
stateDiagram-v2
  [*] --> build
  build --> use
  use --> flood
  flood --> last
  last --> [*]
```

## Actions

- build: Shell "echo build >> ran; mkdir -p made; rm -f made/*; cat lib/a lib/deep/b > made/$(cat lib/name); ls made" inputs=["lib/**"] outputs=["made/**"] keep=["made/**"] result="names"
- use: Shell "echo use >> ran; cat made/*; echo names ${names}; setsid sleep 61 >/dev/null 2>&1 &" result="used"
- flood: Shell "echo flood >> ran; head -c 300000 /dev/zero | tr -c x x"
- last: Shell "echo last >> ran; { echo ${used}; wc -c < ${flood.stdout_file}; } > written"
)";

constexpr const char* recorded_configuration = R"(audit: {file: trail/audit.jsonl, sync: data, max_bytes: 4096}
output: {bytes: 65536}
)";

constexpr const char* requests =
    R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},)"
    R"("clientInfo":{"name":"faults","version":"1"}}})"
    "\n"
    R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
    "\n"
    R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"shell_execute","arguments":)"
    R"({"command":"echo two; setsid sleep 61 >/dev/null 2>&1 &"}}})"
    "\n"
    R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"shell_execute","arguments":)"
    R"({"command":"echo three"}}})"
    "\n";

struct Kind {
  const char* name;
  const char* workflow;  // nullptr: the MCP server
  const char* written;   // what the workflow leaves in the file `written`
  bool on_terminal;
  // Only for a run with an audit trail: the names of the file in `made` in the runs before it, and its own; otherwise
  // nullptr.
  const char* earlier = nullptr;
  const char* name_made = nullptr;
};

constexpr Kind kinds[] = {
    {"run", steps_workflow, "one\nleft of one\nright\n", false},
    {"features", features_workflow, "the source\n", false},
    {"terminal", steps_workflow, "one\nleft of one\nright\n", true},
    {"mcp", nullptr, "", false},
    {"stores", recorded_workflow, "the a\nthe b\nnames one\n300000\n", false, "", "one"},
    {"hits", recorded_workflow, "the a\nthe b\nnames one\n300000\n", false, "one", "one"},
    {"changes", recorded_workflow, "the a\nthe b\nnames two\n300000\n", false, "one", "two"},
    {"returns", recorded_workflow, "the a\nthe b\nnames one\n300000\n", false, "one two", "one"},
};

// The kinds of files that differ in the errors of their system calls.
enum class File { regular, pipe, other };

File kind_of(pid_t pid, int descriptor) {
  const std::string link = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(descriptor);
  char target[4096];
  const ssize_t length = readlink(link.c_str(), target, sizeof target);
  const std::string text(target, length > 0 ? static_cast<std::size_t>(length) : 0);
  if (text.starts_with("pipe:")) return File::pipe;
  return text.starts_with('/') ? File::regular : File::other;
}

// The errors that this system call may return if the machine has run out of something or has a fault; empty: it may
// return none.
std::vector<int> errors_of(const seccomp_notif& call) {
  const auto file = [&] { return kind_of(static_cast<pid_t>(call.pid), static_cast<int>(call.data.args[0])); };
  const auto creates = [&](std::size_t flags) { return (call.data.args[flags] & O_CREAT) != 0; };
  switch (call.data.nr) {
    case SYS_read:
    case SYS_readv:
    case SYS_pread64:
      return file() == File::regular ? std::vector{EIO, ENOMEM} : std::vector{EINTR};
    case SYS_write:
    case SYS_writev:
    case SYS_pwrite64:
      return file() == File::regular ? std::vector{ENOSPC, EIO, EDQUOT}
             : file() == File::pipe  ? std::vector{EINTR}
                                     : std::vector<int>{};
    case SYS_openat:
      return creates(2) ? std::vector{EMFILE, EACCES, EIO, ENOSPC} : std::vector{EMFILE, EACCES, EIO, ENOMEM};
    case SYS_openat2:
      return {EMFILE, EACCES, EIO};
    case SYS_newfstatat:
    case SYS_statx:
    case SYS_faccessat2:
    case SYS_readlinkat:
      return {EACCES, ENOMEM, EIO};
    case SYS_mkdirat:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_linkat:
    case SYS_symlinkat:
#ifdef SYS_mkdir
    case SYS_mkdir:
    case SYS_rename:
    case SYS_symlink:
    case SYS_link:
#endif
      return {EACCES, EIO, ENOSPC};
    case SYS_unlinkat:
    case SYS_fchmod:
    case SYS_fchmodat:
    case SYS_utimensat:
#ifdef SYS_mkdir
    case SYS_unlink:
    case SYS_rmdir:
    case SYS_readlink:
    case SYS_access:
    case SYS_chmod:
#endif
      return {EACCES, EIO};
    case SYS_fsync:
    case SYS_fdatasync:
    case SYS_fallocate:
      return {EIO, ENOSPC};
    case SYS_ftruncate:
      return {EIO};
    case SYS_getdents64:
      return {EIO, ENOMEM};
    case SYS_flock:
      return (call.data.args[1] & LOCK_NB) != 0 ? std::vector{ENOLCK, EWOULDBLOCK} : std::vector{ENOLCK, EINTR};
    case SYS_fcntl:
      return {EMFILE};
    case SYS_chdir:
      return {EACCES, ENOMEM};
    case SYS_mmap:
    case SYS_mprotect:
    case SYS_mremap:
    case SYS_madvise:
    case SYS_getcwd:
      return {ENOMEM};
    case SYS_epoll_ctl:
      return {ENOMEM, ENOSPC};
    case SYS_clone:
    case SYS_clone3:
#ifdef SYS_vfork
    case SYS_vfork:
    case SYS_fork:
#endif
      return {EAGAIN, ENOMEM};
    case SYS_execve:
    case SYS_execveat:
      return {ENOMEM, EIO, EACCES};
    case SYS_pidfd_open:
    case SYS_eventfd2:
    case SYS_epoll_create1:
    case SYS_pipe2:
    case SYS_socket:
    case SYS_socketpair:
    case SYS_signalfd4:
    case SYS_timerfd_create:
    case SYS_inotify_init1:
    case SYS_memfd_create:
      return {EMFILE, ENOMEM};
    case SYS_dup3:
#ifdef SYS_dup2
    case SYS_dup2:
#endif
      return {EMFILE, EINTR};
    case SYS_inotify_add_watch:
      return {ENOSPC, ENOMEM};
    case SYS_sendmsg:
      return {ENOBUFS, ENOMEM};
    case SYS_recvmsg:
      return {ENOMEM, EINTR};
    case SYS_ppoll:
    case SYS_epoll_pwait:
#ifdef SYS_poll
    case SYS_poll:
    case SYS_epoll_wait:
#endif
      return {EINTR, ENOMEM};
    case SYS_wait4:
    case SYS_waitid:
    case SYS_getrandom:
      return {EINTR};
    case SYS_prlimit64:
    case SYS_prctl:
      return {EPERM};
    default:
      return {};
  }
}

std::set<std::filesystem::path> journals_in(const std::string& folder) {
  std::set<std::filesystem::path> journals;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/.wtool/runs", ignored)) {
    if (entry.path().extension() == ".jsonl") journals.insert(entry.path());
  }
  return journals;
}

// The types of the journals' records, with the states that they are about.
std::vector<std::string> records_in(const std::set<std::filesystem::path>& journals) {
  std::vector<std::string> records;
  for (const std::filesystem::path& journal : journals) {
    std::istringstream lines(content_of(journal));
    for (std::string line; std::getline(lines, line);) {
      const Json record = Json::parse(line, nullptr, false);
      if (!record.is_object()) {
        records.push_back("not JSON: " + line);
      } else if (record.value("type", "") != "notice") {  // A step waits for a lock only if another step is quicker.
        records.push_back(record.value("type", "") + " " + record.value("state", "") + " " +
                          record.value("status", ""));
      }
    }
  }
  std::sort(records.begin(), records.end());
  return records;
}

// What the program says, without the outputs of its steps.
std::string without_outputs(const std::string& text) {
  std::string left;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("    | ")) left += line + '\n';
  }
  return left;
}

// One run, in which one system call is refused with an error: the `point`th pair of a call and one of its errors. 0:
// none is refused.
class RefusedRun {
 public:
  RefusedRun(const Kind& kind, long point) : kind_(kind), point_(point) {
    if (kind.workflow != nullptr) scratch_.file("faults.md", kind.workflow);
    scratch_.file("source", "the source\n");
    if (is_recorded()) prepare();
    earlier_journals_ = journals_in(scratch_.path());
    int input[2];
    if (pipe2(input, O_CLOEXEC) != 0) std::abort();
    if (kind.on_terminal) terminal_ = open_terminal();
    host_ = fork();
    if (host_ == 0) be_program(input[0]);
    close(input[0]);
    input_ = input[1];
    if (kind.workflow == nullptr) {
      if (write(input_, requests, std::strlen(requests)) < 0) std::abort();
    } else {
      end_input();
    }
    listener_ = handover_.take(wtool::open_process(host_));
  }
  ~RefusedRun() {
    if (!reaped_) {
      ::kill(host_, SIGKILL);
      waitpid(host_, nullptr, 0);
    }
    end_input();
    if (terminal_ >= 0) close(terminal_);
  }
  RefusedRun(const RefusedRun&) = delete;
  RefusedRun& operator=(const RefusedRun&) = delete;

  bool works() const { return listener_ != nullptr; }
  bool refused() const { return !refused_.empty(); }
  const std::string& what() const { return refused_; }
  // Of its journal; check() reads them.
  const std::vector<std::string>& records() const { return records_; }
  // How it ended: "status N", "signal N" or "no end".
  std::string end() const {
    if (!reaped_) return "no end";
    return WIFSIGNALED(status_) ? "signal " + std::to_string(WTERMSIG(status_))
                                : "status " + std::to_string(WEXITSTATUS(status_));
  }

  // What is wrong; empty when nothing is.
  std::string check(const std::vector<std::string>& expected) {
    std::string wrong;
    const auto add = [&](const std::string& text) { wrong += (wrong.empty() ? "" : "; ") + text; };
    if (is_server() && !answer_until([&] { return has_ended() || has_answered(); }, bound)) {
      add("a request has no answer");
    }
    end_input();
    if (!answer_until([&] { return has_ended(); }, bound)) {
      add("it does not end");
    } else if (read_records(); WIFSIGNALED(status_)) {
      add("it died of a signal");
    } else {
      if (WEXITSTATUS(status_) != 0 && said().empty()) add("it fails without a word");
      if (WEXITSTATUS(status_) != 0 && is_recorded() && !says_the_error()) add("it fails without the error");
      if (WEXITSTATUS(status_) == 0 && !is_server()) {
        if (content_of(scratch_.path() + "/written") != kind_.written) add("it succeeds with a wrong result");
        if (!expected.empty() && !says_what_it_lacks() && records() != expected) {
          add("it succeeds with other records in its journal: " + wtool::joined(records()));
        }
      }
      if (WEXITSTATUS(status_) == 0 && is_server() && !has_answered()) add("an answer is missing");
    }
    if (!answer_until([&] { return mark_.bearers().empty(); }, milliseconds(3000))) add("left " + mark_.description());
    if (is_recorded() && reaped_) {
      check_journal(add);
      check_trail(add);
      check_later_runs(add);
    }
    if (!wrong.empty()) wrong += " [" + end() + ": " + without_outputs(said()) + "]";
    for (const pid_t pid : mark_.bearers()) ::kill(pid, SIGKILL);
    return wrong;
  }

 private:
  void read_records() {
    std::set<std::filesystem::path> journals = journals_in(scratch_.path());
    for (const std::filesystem::path& earlier : earlier_journals_) journals.erase(earlier);
    records_ = records_in(journals);
  }

  bool is_server() const { return kind_.workflow == nullptr; }

  bool is_recorded() const { return kind_.name_made != nullptr; }

  std::string in_folder(const std::string& name) const { return scratch_.path() + '/' + name; }

  Finished run_wtool(std::vector<std::string> words) const {
    words.insert(words.begin(), {WTOOL_TEST_PROGRAM, "--plugin", WTOOL_TEST_PLUGIN});
    ProgramOptions options;
    options.directory = scratch_.path();
    options.set = {{"HOME", scratch_.path()}};
    options.unset = {"XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"};
    options.limit = bound;
    return run(words, options);
  }

  void prepare() const {
    scratch_.file("wtool.yaml", recorded_configuration);
    std::filesystem::create_directories(in_folder("lib/deep"));
    scratch_.file("lib/a", "the a\n");
    scratch_.file("lib/deep/b", "the b\n");
    std::filesystem::create_symlink("a", in_folder("lib/link"));
    std::istringstream earlier(kind_.earlier);
    for (std::string name; earlier >> name;) {
      scratch_.file("lib/name", name);
      if (run_wtool({"run", "faults.md"}).exit_code != 0) std::abort();
    }
    scratch_.file("lib/name", kind_.name_made);
    if (std::string_view(kind_.earlier) == kind_.name_made) std::filesystem::remove_all(in_folder("made"));
    std::filesystem::remove(in_folder("written"));
  }

  // True if its messages have the text of the error without its first letter, which may be small. The dynamic linker has
  // words of its own.
  bool says_the_error() const {
    const std::string text = said();
    return error_ == 0 || holds(text, std::strerror(error_) + 1) || (error_ == ENOMEM && holds(text, "memory")) ||
           (holds(text, "it is not a library that can be loaded here") &&
            (holds(text, "shared object") || holds(text, "cannot map zero-fill pages")));
  }

  template <class Add>
  void check_journal(const Add& add) const {
    const int status = WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
    if (says_what_it_lacks() || (status != 0 && status != 1)) return;
    const Finished runs = run_wtool({"runs", "--json", "--limit", "1"});
    const Json list = Json::parse(runs.out, nullptr, false);
    const std::string expected = status == 0 ? "completed" : "failed";
    if (runs.exit_code != 0 || !list.is_array() || list.size() != 1 || list[0].value("status", "") != expected) {
      return add("`wtool runs` shows another end: " + runs.out + runs.err);
    }
    const Finished report = run_wtool({"report", "last", "--junit", "-"});
    if (report.exit_code != 0 || !holds(report.out, "</testsuites>")) add("there is no report: " + report.err);
    if (status != 0) return;
    const Finished shown = run_wtool({"show", "last", "--json"});
    const Json run = Json::parse(shown.out, nullptr, false);
    int kept = 0;
    for (const Json& state : run.is_object() ? run.value("steps", Json::array()) : Json::array()) {
      for (const Json& file : state.value("kept_files", Json::array())) {
        ++kept;
        if (content_of(file.value("copy", "")) != "the a\nthe b\n") add("a kept file is not what it was");
      }
    }
    if (kept != 1) add("it kept no file and says nothing of it");
  }

  template <class Add>
  void check_trail(const Add& add) const {
    std::map<std::string, int> ran;
    std::istringstream steps(content_of(in_folder("ran")));
    for (std::string step; steps >> step;) ++ran[step];
    const Finished verified = run_wtool({"audit", "verify", "trail/audit.jsonl"});
    if (ran.empty() && verified.exit_code == 2) return;
    if (verified.exit_code != 0) add("the audit trail is not whole: " + verified.out + verified.err);
    const Finished shown = run_wtool({"audit", "show", "trail/audit.jsonl", "--json"});
    std::map<std::string, int> calls;  // how many lines `end` it lacks
    std::istringstream lines(shown.out);
    for (std::string text; std::getline(lines, text);) {
      const Json line = Json::parse(text, nullptr, false);
      if (!line.is_object()) continue;
      const std::string event = line.value("event", ""), command = line.value("command", "");
      const std::string call = std::to_string(line.value("host_pid", 0)) + ' ' + line.value("call", "");
      if (event == "start") ++calls[call];
      if (event == "end") --calls[call];
      for (auto& [step, times] : ran) {
        if (event == "start" && command.starts_with("echo " + step + " >> ran")) --times;
      }
    }
    for (const auto& [step, times] : ran) {
      if (times > 0) add("the step " + step + " ran without a line in the audit trail");
    }
    for (const auto& [call, lacks] : calls) {
      if (lacks != 0 && !holds(said(), "the audit trail ")) add("the audit trail has no end of the call " + call);
    }
  }

  // Undisturbed runs after it, with the same inputs.
  template <class Add>
  void check_later_runs(const Add& add) const {
    for (const char* turn : {"next", "second"}) {
      std::filesystem::remove_all(in_folder("made"));
      std::filesystem::remove(in_folder("written"));
      std::filesystem::remove(in_folder("ran"));
      const Finished later = run_wtool({"run", "faults.md"});
      std::string made;
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator(in_folder("made"), ignored)) {
        made += entry.path().filename().string() + ' ';
      }
      const std::string ran = content_of(in_folder("ran"));
      if (later.exit_code != 0 || holds(later.err, "notice: the step 'build'") ||
          made != std::string(kind_.name_made) + ' ' || content_of(in_folder("written")) != kind_.written ||
          content_of(in_folder("made/") + kind_.name_made) != "the a\nthe b\n" ||
          (turn == std::string_view("second") && ran != "use\nflood\nlast\n")) {
        add("the " + std::string(turn) + " run is wrong: it has made " + made + ", and ran " + ran + ": " + later.out +
            without_outputs(later.err));
      }
    }
    const Finished verified = run_wtool({"audit", "verify", "trail/audit.jsonl"});
    if (verified.exit_code != 0) add("the audit trail is not whole after later runs: " + verified.out + verified.err);
  }

  int open_terminal() const {
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) std::abort();
    return terminal;
  }

  [[noreturn]] void be_program(int input) const {
    const std::string folder = scratch_.path();
    if (chdir(folder.c_str()) != 0) _exit(126);
    setsid();
    // The first terminal that the leader of a session opens becomes its controlling terminal.
    const int device = terminal_ >= 0 ? open(ptsname(terminal_), O_RDWR | O_CLOEXEC) : -1;
    const int out = open("out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const int err = open("err", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    dup2(device >= 0 ? device : input, 0);
    dup2(device >= 0 ? device : out, 1);
    dup2(device >= 0 ? device : err, 2);
    setenv("HOME", folder.c_str(), 1);
    setenv("TERM", "xterm", 1);
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"}) unsetenv(name);
    setenv("WTOOL_TEST_MARK", mark_.text().c_str(), 1);
    if (!handover_.install()) _exit(126);
    constexpr char* end = nullptr;
    if (!is_server()) {
      execl(WTOOL_TEST_PROGRAM, "wtool", "--plugin", WTOOL_TEST_PLUGIN, "run", "faults.md", end);
    } else {
      execl(WTOOL_TEST_PROGRAM, "wtool", "--plugin", WTOOL_TEST_PLUGIN, "mcp", "--policy", "open", end);
    }
    _exit(126);
  }

  void end_input() {
    if (input_ >= 0) close(input_);
    input_ = -1;
  }

  bool has_ended() {
    char part[4096];
    while (terminal_ >= 0) {
      const ssize_t got = read(terminal_, part, sizeof part);
      if (got <= 0) break;
      shown_.append(part, static_cast<std::size_t>(got));
    }
    return reaped_ = reaped_ || waitpid(host_, &status_, WNOHANG) == host_;
  }
  // True if the server has answered all requests.
  bool has_answered() const {
    const std::string out = content_of(scratch_.path() + "/out");
    return holds(out, "\"id\":1,") && holds(out, "\"id\":2,") && holds(out, "\"id\":3,");
  }
  // True if a notice says that something is missing. (That a background process was ended is no such notice.)
  bool says_what_it_lacks() const {
    if (holds(said(), "this run keeps no journal")) return true;
    std::istringstream lines(said());
    for (std::string line; std::getline(lines, line);) {
      if ((holds(line, "notice: the step '") || holds(line, "notice: the output of a step")) &&
          !holds(line, "background process")) {
        return true;
      }
    }
    return false;
  }
  std::string said() const { return kind_.on_terminal ? shown_ : content_of(scratch_.path() + "/err"); }

  bool answer_until(const std::function<bool()>& done, milliseconds limit) {
    return listener_->answer_until(done, limit, [this](const seccomp_notif& call) { return error_for(call); });
  }

  // True if this is a thread of the program itself, or a process that it has forked and that has not executed its own
  // program yet.
  bool is_its_own(pid_t thread) {
    const auto [known, is_new] = threads_.try_emplace(thread, false);
    if (is_new) {
      known->second = std::filesystem::exists("/proc/" + std::to_string(host_) + "/task/" + std::to_string(thread));
    }
    if (known->second) return true;
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/" + std::to_string(thread) + "/exe", ignored) == program_;
  }

  int error_for(const seccomp_notif& call) {
    const auto thread = static_cast<pid_t>(call.pid);
    // The dynamic linker ends by unmapping its cache; no code of wtool runs before that.
    if (call.data.nr == SYS_munmap && thread == host_) started_ = true;
    if (!started_ || refused() || !is_its_own(thread)) return 0;
    for (const int error : errors_of(call)) {
      if (++counted_ != point_) continue;
      error_ = error;
      refused_ = "pair " + std::to_string(point_) + ", call " + std::to_string(call.data.nr) + " with " +
                 std::to_string(error) + " (" + std::strerror(error) + ")";
      return error;
    }
    return 0;
  }

  const Kind& kind_;
  const std::filesystem::path program_ = std::filesystem::canonical(WTOOL_TEST_PROGRAM);
  const ScratchFolder scratch_;
  const Mark mark_;
  const long point_;
  const ListenerHandover handover_;
  pid_t host_ = -1;
  int input_ = -1;
  int terminal_ = -1;
  int status_ = 0;
  bool reaped_ = false;
  bool started_ = false;
  std::unique_ptr<CallListener> listener_;
  long counted_ = 0;
  std::string shown_;
  std::string refused_;
  int error_ = 0;
  std::set<std::filesystem::path> earlier_journals_;
  std::vector<std::string> records_;
  std::map<pid_t, bool> threads_;
};

}  // namespace

int main(int count, char** words) {
  const Kind* kind = nullptr;
  for (const Kind& known : kinds) {
    if (count > 1 && std::string_view(words[1]) == known.name) kind = &known;
  }
  if (kind == nullptr) return 2;
  long point = count > 2 ? std::atol(words[2]) : 1;
  const long every = count > 3 ? std::atol(words[3]) : 1;

  RefusedRun model(*kind, 0);
  if (!model.works()) return 77;
  if (const std::string wrong = model.check({}); !wrong.empty() || model.end() != "status 0") {
    std::printf("a run without a refusal: %s, %s\n", model.end().c_str(), wrong.c_str());
    return 1;
  }
  const std::vector<std::string> expected = model.records();

  int runs = 0, failures = 0;
  std::map<std::string, int> ends;
  for (;; point += every) {
    RefusedRun run(*kind, point);
    const std::string wrong = run.works() ? run.check(expected) : "its system calls are not answered";
    if (!wrong.empty()) {
      std::printf("%s: %s\n", run.refused() ? run.what().c_str() : "a run without a refusal", wrong.c_str());
      std::fflush(stdout);
      ++failures;
    }
    if (!run.refused()) break;  // There are fewer pairs than `point`, so all have been tried.
    ++runs;
    ++ends[run.end()];
  }
  for (const auto& [end, number] : ends) std::printf("%s: %d\n", end.c_str(), number);
  std::printf("%d runs, %d failures\n", runs, failures);
  return failures == 0 ? 0 : 1;
}
