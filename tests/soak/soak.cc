// Runs many tasks of mixed kinds in one host, as agents would over a day, and regularly prints the resources of the
// host and its helper programs. tests/soak/run starts it, checks its output, and draws it.
//
// Usage: soak TASKS [SAMPLES [RATE]]    with RATE, at most so many tasks begin in an hour
// Writes one JSON object a line: {"tasks", "seconds", "allocated_kib", "memory_kib", "descriptors", "threads",
// "children", "processes", "helper_memory_kib", "success_ms"}. A sample is taken while no task runs. "success_ms" lists
// how long the calls of the kind "success" took since the last sample. If a task has a wrong result, the program ends
// with status 1 and a sentence on standard error.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "support/plugin.h"
#include "support/processes.h"
#include "support/program.h"

using namespace wtool::test;

namespace {

constexpr unsigned agents = 4;  // at the same time

void require(bool holds, const std::string& what, const Json& got) {
  if (!holds) throw std::runtime_error(what + ": " + got.dump().substr(0, 500));
}

// One plugin with its tools, and a member for each kind of task.
class Host {
 public:
  Host() {
    folder_.file("tools-allow.json", R"(["sh", "sleep", "seq", "echo", "false"])");
    folder_.file("background", "sleep 600 & setsid sleep 600 & (trap '' TERM; exec sleep 600) & echo started\n");
    folder_.file("deaf", "trap '' TERM; sleep 600; sleep 600\n");
  }

  // The warden, found as a command finds it: the parent of its parent.
  pid_t warden() const {
    return warden_above(static_cast<pid_t>(std::stol(shell("echo $PPID").at("stdout").get<std::string>())));
  }

  void succeed() {
    const Json result = shell("echo a; echo b >&2");
    require(result.at("stdout") == "a\n" && result.at("stderr") == "b\n", "a command lost its output", result);
  }
  void fail() { require(shell("exit 3").at("exit_code") == 3, "an exit code is wrong", {}); }
  void time_out() {
    const std::string session = open();
    const Json result = execute(session, {"sh", "deaf"}, 50);
    require(result.at("error").at("code") == "TIMEOUT_EXCEEDED", "a call did not time out", result);
    close(session);
  }
  void abort() {
    RunningCall running(shell_, {{"command", "sleep 600 & echo ready; sleep 600"}});
    require(running.wait_for_output("ready"), "a command did not begin", {});
    running.cancel(WTOOL_CANCEL_NOW, "the soak has seen enough");
    require(running.wait().status == WTOOL_E_CANCELLED, "a call was not aborted", {});
  }
  void flood() {
    const Json result = shell("head -c 20000000 /dev/zero | tr '\\0' x");
    require(result.at("stdout_bytes") == 20000000 && result.at("stdout_truncated") == true, "a flood was lost",
            {{"stdout_bytes", result.at("stdout_bytes")}});
  }
  void churn() {
    const std::string session = open();
    for (int i = 0; i < 3; ++i) {
      const Json result = execute(session, {"sh", "background"}, 10000);
      require(result.at("stdout") == "started\n", "a command of a session lost its output", result);
    }
    close(session);
  }
  void leave() {
    const Json result = shell("setsid sleep 600 & sleep 600 & echo hi");
    require(result.at("background_processes_ended") == 2, "background processes were not ended", result);
  }
  void find_nothing() {
    require(shell("no-such-program-anywhere").at("error").at("code") == "command_not_found", "a program was found", {});
  }
  void be_refused() {
    require(of(execute_, {{"sessionId", "nothing"}, {"command", "x"}}).at("success") == false, "no refusal", {});
    require(of(shell_, {{"command", 5}}).at("error").at("code") == "invalid_parameters", "no refusal", {});
  }
  void run_a_program() {
    const Json result = of(program_, {{"command", "echo 'a b'"}});
    require(result.at("stdout") == "a b\n", "execute_command lost its output", result);
  }
  void run_at_once() {
    const Json result = of(covenant_, {{"command", "grep -c a /proc/self/status"}});
    require(result.at("error") == "Invalid path: /proc/self/status", "execute_run left its project", result);
    require(of(covenant_, {{"command", "pwd"}}).at("ok") == true, "execute_run did not run", {});
  }
  void be_killed() { require(shell("kill -KILL $$; :").at("signal") == "SIGKILL", "a signal is wrong", {}); }

 private:
  Json of(const ToolUnderTest& tool, const Json& arguments) const { return tool.run(arguments).metadata(); }
  Json shell(const std::string& line) const { return of(shell_, {{"command", line}}); }

  std::string open() const {
    const Json created = of(create_, {{"taskId", "soak"}, {"agentId", "soak"}, {"workingDirectory", folder_.path()}});
    require(created.at("success") == true, "a session could not be opened", created);
    return created.at("sessionId");
  }
  Json execute(const std::string& session, const std::vector<std::string>& words, int timeout_ms) const {
    return of(execute_, {{"sessionId", session},
                         {"command", words.front()},
                         {"args", std::vector<std::string>(words.begin() + 1, words.end())},
                         {"timeout", timeout_ms}});
  }
  void close(const std::string& session) const {
    const Json closed = of(close_, {{"sessionId", session}});
    require(closed.at("success") == true, "a session could not be closed", closed);
  }

  ScratchFolder folder_;
  const Json configuration_{{"limits", {{"grace_seconds", 0.05}}},
                            {"sessions", {{"tools_allow", folder_.path() + "/tools-allow.json"}}},
                            {"execute_run", {{"root", folder_.path()}}}};
  Plugin plugin_;
  const ToolUnderTest shell_{plugin_, configuration_};
  const ToolUnderTest create_{plugin_, configuration_, "terminal_create_session"};
  const ToolUnderTest execute_{plugin_, configuration_, "terminal_execute_command"};
  const ToolUnderTest program_{plugin_, configuration_, "execute_command"};
  const ToolUnderTest covenant_{plugin_, configuration_, "execute_run"};
  const ToolUnderTest close_{plugin_, configuration_, "terminal_close_session"};
};

struct Kind {
  const char* name;
  void (Host::*run)();
};
constexpr Kind kinds[] = {
    {"success", &Host::succeed},
    {"failure", &Host::fail},
    {"timeout", &Host::time_out},
    {"abort", &Host::abort},
    {"output flood", &Host::flood},
    {"session churn", &Host::churn},
    {"left behind", &Host::leave},
    {"not found", &Host::find_nothing},
    {"refusal", &Host::be_refused},
    {"killed", &Host::be_killed},
    {"execute_command", &Host::run_a_program},
    {"execute_run", &Host::run_at_once},
};

long entries(const char* folder) {
  return static_cast<long>(
      std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
}

Json sample(pid_t warden) {
  std::vector<pid_t> helpers = descendants_of(warden);
  helpers.push_back(warden);
  long helper_memory = 0;
  for (const pid_t helper : helpers) helper_memory += status_kib(helper, "VmRSS");
  // Memory that the allocator keeps back comes and goes by megabytes; memory in use does not.
  malloc_trim(0);
  const struct mallinfo2 heap = mallinfo2();
  return {{"allocated_kib", (heap.uordblks + heap.hblkhd) / 1024},
          {"memory_kib", status_kib(getpid(), "VmRSS")},
          {"descriptors", entries("/proc/self/fd")},
          {"threads", entries("/proc/self/task")},
          {"children", children_of(getpid()).size()},
          {"processes", helpers.size()},
          {"helper_memory_kib", helper_memory}};
}

using Clock = std::chrono::steady_clock;

// When the tasks may begin.
struct Schedule {
  Clock::time_point began = Clock::now();
  double rate = 0;  // tasks in an hour; 0: as soon as possible

  void wait_for(unsigned task) const {
    if (rate > 0) {
      std::this_thread::sleep_until(
          began + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(task * 3600.0 / rate)));
    }
  }
};

// Runs the tasks with the numbers from `from` up to `until`, which is not included, in as many threads as there are
// agents. The number of a task determines its kind. Returns the milliseconds of each task of the first kind, sorted.
std::vector<double> work(Host& host, const Schedule& schedule, unsigned from, unsigned until) {
  std::atomic<unsigned> next{from};
  std::mutex mutex;
  std::string problem;
  std::vector<double> milliseconds;
  std::vector<std::thread> threads;
  for (unsigned agent = 0; agent < agents; ++agent) {
    threads.emplace_back([&] {
      for (unsigned task; (task = next++) < until;) {
        const Kind& kind = kinds[task % std::size(kinds)];
        schedule.wait_for(task);
        try {
          const auto start = Clock::now();
          (host.*kind.run)();
          const double took = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
          if (&kind == kinds) {
            const std::lock_guard lock(mutex);
            milliseconds.push_back(std::round(took * 1000) / 1000);
          }
        } catch (const std::exception& e) {
          const std::lock_guard lock(mutex);
          problem = "task " + std::to_string(task + 1) + ", " + kind.name + ": " + e.what();
          next = until;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!problem.empty()) throw std::runtime_error(problem);
  std::sort(milliseconds.begin(), milliseconds.end());
  return milliseconds;
}

}  // namespace

int main(int argc, char** argv) {
  const long tasks = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  const long samples = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 60;
  const double rate = argc > 3 ? std::strtod(argv[3], nullptr) : 0;
  if (tasks < 1 || tasks > 10'000'000 || samples < 1 || !(rate >= 0)) {
    std::fputs("usage: soak TASKS [SAMPLES [RATE]]\n", stderr);
    return 2;
  }
  ::setenv("ALLOWED_COMMANDS", "echo", 1);
  try {
    Host host;
    const pid_t warden = host.warden();
    Schedule schedule;
    schedule.rate = rate;
    for (long done = 0, round = 1; done < tasks; ++round) {
      const long until = std::max(done + 1, tasks * std::min(round, samples) / samples);
      const std::vector<double> milliseconds =
          work(host, schedule, static_cast<unsigned>(done), static_cast<unsigned>(until));
      done = until;
      Json line = sample(warden);
      line["success_ms"] = milliseconds;
      line["tasks"] = done;
      line["seconds"] = std::chrono::duration<double>(Clock::now() - schedule.began).count();
      std::puts(line.dump().c_str());
      std::fflush(stdout);
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "soak: %s\n", e.what());
    return 1;
  }
  return 0;
}
