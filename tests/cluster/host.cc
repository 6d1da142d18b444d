// A long-lived host for tests/cluster/faults and tests/cluster/bench: through the C interface, with the plugin that
// WTOOL_TEST_PLUGIN names and the given configuration.
//
//   cluster_host CONFIGURATION trees timeout|cancel|abort COUNT WIDE
//   cluster_host CONFIGURATION trees death COUNT WIDE PROGRAM
//     Starts COUNT trees of processes, WIDE at a time, and ends each in the named way. A tree has a child, a child in
//     its own session, a daemon, and a child that ignores SIGTERM. `death`: each tree belongs to its own PROGRAM
//     (wtool), which gets SIGKILL; for this way, CONFIGURATION is a file. Prints how many trees ended completely, and
//     how long that took at most. The exit status is 1 if something of a tree was left.
//   cluster_host CONFIGURATION answer
//     Answers each line of standard input with `took FIGURE`, or `failed REASON`:
//       call                a call of /usr/bin/true; nanoseconds
//       steps COUNT WIDE    COUNT such calls, WIDE at a time; nanoseconds
//       output BYTES        a call with BYTES of output, which is passed on as events; nanoseconds
//       waiting COUNT       how many bytes a call takes while it waits for a slot; the configuration has one slot
#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/plugin.h"
#include "support/processes.h"
#include "support/program.h"

namespace {

using namespace wtool::test;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* tree =
    "setsid sleep 600 & (setsid sh -c 'sleep 600; :' &); sleep 600 & "
    "sh -c 'trap \"\" TERM; while :; do sleep 600; done' & echo ready; wait";
constexpr std::size_t members_of_tree = 7;  // shells and what they wait for

void at_once(unsigned wide, const std::function<void()>& body) {
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::string problem;
  for (unsigned i = 0; i < wide; ++i) {
    threads.emplace_back([&] {
      try {
        body();
      } catch (const std::exception& error) {
        const std::scoped_lock lock(mutex);
        problem = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!problem.empty()) throw std::runtime_error(problem);
}

std::int64_t nanoseconds_since(Clock::time_point began) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count();
}

// ---- Trees

struct Ended {
  std::size_t left = 0;  // processes that outlived the result
  std::chrono::nanoseconds took{};
};

Ended end_one(const ToolUnderTest& tool, const std::string& how) {
  const Mark mark;
  Json arguments{{"command", tree}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}};
  if (how == "timeout") arguments["timeout"] = 1;
  RunningCall call(tool, arguments);
  if (!call.wait_for_output("ready")) throw std::runtime_error("no tree began: " + call.wait().raw);
  auto began = Clock::now();
  if (how != "timeout") call.cancel(how == "abort" ? WTOOL_CANCEL_NOW : WTOOL_CANCEL_GRACEFUL, "a test");
  const Answer answer = call.wait();
  const Ended ended{mark.bearers().size(), Clock::now() - began};
  if (ended.left > 0) std::printf("left: %s\n", mark.description().c_str());
  const bool as_asked = how == "timeout" ? answer.code() == "timed_out" : answer.status == WTOOL_E_CANCELLED;
  if (!as_asked) throw std::runtime_error("the call did not end as asked: " + answer.raw + answer.error);
  return ended;
}

Ended kill_host(const std::string& program, const std::string& configuration) {
  const Mark mark;
  const Json arguments{{"command", tree}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}};
  // The host's own arguments contain the mark, too.
  Program host({program, "--config", configuration, "call", "--on", "cluster", "shell_execute", arguments.dump()},
               Program::On::pipes);
  const auto of_tree = [&] {
    const auto all = mark.bearers();
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](pid_t pid) { return pid != host.pid(); }));
  };
  if (!wait_until([&] { return of_tree() >= members_of_tree; }, std::chrono::seconds(60))) {
    throw std::runtime_error("no tree began: " + mark.description());
  }
  const auto began = Clock::now();
  host.kill(SIGKILL);
  wait_until([&] { return of_tree() == 0; }, milliseconds(1000));
  const Ended ended{of_tree(), Clock::now() - began};
  if (ended.left > 0) std::printf("left: %s\n", mark.description().c_str());
  wait_until([&] { return of_tree() == 0; }, std::chrono::seconds(20));
  return ended;
}

int end_trees(const std::string& configuration, const std::vector<std::string>& words) {
  const std::string& how = words.at(0);
  const unsigned count = static_cast<unsigned>(std::stoul(words.at(1)));
  const unsigned wide = static_cast<unsigned>(std::stoul(words.at(2)));
  const bool death = how == "death";
  std::unique_ptr<Plugin> plugin;
  std::unique_ptr<ToolUnderTest> tool;
  if (!death) {
    plugin = std::make_unique<Plugin>();
    tool = std::make_unique<ToolUnderTest>(*plugin, Json::parse(configuration));
  }
  std::atomic<unsigned> next{0}, whole{0};
  std::mutex mutex;
  std::chrono::nanoseconds longest{0};
  at_once(wide, [&] {
    while (next++ < count) {
      const Ended ended = death ? kill_host(words.at(3), configuration) : end_one(*tool, how);
      if (ended.left == 0) ++whole;
      const std::scoped_lock lock(mutex);
      longest = std::max(longest, ended.took);
    }
  });
  std::printf("%u of %u trees were ended whole, each within %lld ms\n", whole.load(), count,
              static_cast<long long>(std::chrono::ceil<milliseconds>(longest).count()));
  return whole == count ? 0 : 1;
}

// ---- Figures

void call_true(const ToolUnderTest& tool) {
  static const std::string arguments = Json{{"command", "/usr/bin/true"}}.dump();
  const Answer answer = tool.run_text(arguments);
  if (answer.status != WTOOL_OK || answer.is_error()) throw std::runtime_error(answer.raw + answer.error);
}

std::int64_t steps(const ToolUnderTest& tool, unsigned count, unsigned wide) {
  std::atomic<unsigned> next{0};
  const auto began = Clock::now();
  at_once(wide, [&] {
    while (next++ < count) call_true(tool);
  });
  return nanoseconds_since(began);
}

std::int64_t output(const ToolUnderTest& tool, std::uint64_t bytes) {
  std::uint64_t seen = 0;
  CallOptions options;
  options.on_event = [&](const Event& event) {
    if (event.kind == WTOOL_EVENT_STDOUT) seen += event.payload.size();
    return 0;
  };
  const auto began = Clock::now();
  const Answer answer = tool.shell("head -c " + std::to_string(bytes) + " /dev/zero", options);
  const std::int64_t took = nanoseconds_since(began);
  if (answer.status != WTOOL_OK || answer.is_error() || seen != bytes) {
    throw std::runtime_error(std::to_string(seen) + " bytes came: " + answer.raw.substr(0, 300));
  }
  return took;
}

std::int64_t waiting(const ToolUnderTest& tool, unsigned count) {
  RunningCall busy(tool, {{"command", "echo ready; exec sleep 600"}});
  if (!busy.wait_for_output("ready")) throw std::runtime_error(busy.wait().raw);
  std::atomic<unsigned> waiting{0};
  CallOptions options;
  options.on_event = [&](const Event& event) {
    if (event.kind == WTOOL_EVENT_STATE && event.payload.find(R"("reason":"node")") != std::string::npos) ++waiting;
    return 0;
  };
  std::vector<std::unique_ptr<RunningCall>> calls;
  const long before = status_kib(getpid(), "VmRSS");
  for (unsigned i = 0; i < count; ++i) {
    calls.push_back(std::make_unique<RunningCall>(tool, Json{{"command", "/usr/bin/true"}}, options));
  }
  const bool all = wait_until([&] { return waiting == count; }, std::chrono::seconds(30));
  const long after = status_kib(getpid(), "VmRSS");
  for (const auto& call : calls) call->cancel(WTOOL_CANCEL_NOW, "seen enough");
  calls.clear();
  busy.cancel(WTOOL_CANCEL_NOW, "seen enough");
  if (!all) throw std::runtime_error("not all calls waited");
  return (after - before) * 1024 / static_cast<long>(count);
}

int answer(const std::string& configuration) {
  Plugin plugin;
  const ToolUnderTest tool(plugin, Json::parse(configuration));
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string what;
    std::uint64_t first = 0, second = 0;
    words >> what >> first >> second;
    try {
      std::int64_t figure = 0;
      if (what == "call") {
        const auto began = Clock::now();
        call_true(tool);
        figure = nanoseconds_since(began);
      } else if (what == "steps") {
        figure = steps(tool, static_cast<unsigned>(first), static_cast<unsigned>(second));
      } else if (what == "output") {
        figure = output(tool, first);
      } else if (what == "waiting") {
        figure = waiting(tool, static_cast<unsigned>(first));
      } else {
        throw std::runtime_error("this is not a question: " + line);
      }
      std::printf("took %lld\n", static_cast<long long>(figure));
    } catch (const std::exception& error) {
      std::string text = error.what();
      std::replace(text.begin(), text.end(), '\n', ' ');
      std::printf("failed %s\n", text.c_str());
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    if (words.size() >= 5 && words[1] == "trees") return end_trees(words[0], {words.begin() + 2, words.end()});
    if (words.size() == 2 && words[1] == "answer") return answer(words[0]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cluster_host: %s\n", error.what());
    return 1;
  }
  std::fprintf(stderr, "usage: cluster_host CONFIGURATION trees HOW COUNT WIDE [PROGRAM] | answer\n");
  return 2;
}
