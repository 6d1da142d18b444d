// Many calls at the same time from many threads of one host, some cancelled at random: right results, and no leak.
#include <dirent.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <random>
#include <thread>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(concurrency_test)

using namespace wtool::test;

namespace {

std::size_t entries_of(const char* directory) {
  std::size_t count = 0;
  DIR* dir = opendir(directory);
  while (readdir(dir) != nullptr) ++count;
  closedir(dir);
  return count;
}

struct Crowd : ShellTool {
  std::atomic<int> wrong{0};
  std::atomic<int> aborted{0};
  int gatherings = 0;

  // Makes one call, with a result that no other call has; it is cancelled after a random time, or not at all.
  void one_call(unsigned number, std::mt19937& random) {
    const std::string own = "call" + std::to_string(number);
    const unsigned fate = random() % 4;
    if (fate == 0) {
      RunningCall call(tool, marked("setsid sleep 61 & echo " + own + "; sleep 61"));
      if (random() % 2 == 0) call.wait_for_output(own);
      call.cancel(1 + random() % 2, own);
      const Answer answer = call.wait();
      if (answer.status != WTOOL_E_CANCELLED || answer.text() != "Command aborted: " + own) ++wrong;
      ++aborted;
      return;
    }
    const int code = static_cast<int>(random() % 200);
    const std::string command = fate == 1 ? "echo " + own + "; exit " + std::to_string(code)
                                          : "echo " + own + "; sleep 0.0" + std::to_string(random() % 10) + "; echo " +
                                                own + " >&2; exit " + std::to_string(code);
    const Answer answer = tool.run(marked(command));
    const bool right = answer.status == WTOOL_OK && answer.exit_code() == code && answer.out() == own + "\n" &&
                       (fate == 1 || answer.err() == own + "\n");
    if (!right) ++wrong;
  }

  void run_crowd(unsigned n_threads, unsigned calls_each) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < n_threads; ++t) {
      threads.emplace_back([this, t, calls_each] {
        std::mt19937 random(t);
        for (unsigned i = 0; i < calls_each; ++i) one_call(t * 1000 + i, random);
      });
    }
    for (auto& thread : threads) thread.join();
  }

  // Makes 64 calls that all run at the same time. Afterwards, everything that the plugin keeps for later calls exists.
  void run_all_at_once() {
    const std::string go = scratch.path() + "/go" + std::to_string(++gatherings);
    std::vector<std::unique_ptr<RunningCall>> calls;
    for (int i = 0; i < 64; ++i) {
      calls.push_back(std::make_unique<RunningCall>(
          tool, marked("echo ready; while [ ! -e " + go + " ]; do sleep 0.05; done; echo done")));
    }
    for (auto& call : calls) BOOST_REQUIRE(call->wait_for_output("ready"));
    scratch.file(go, "");
    for (auto& call : calls) BOOST_TEST(call->wait().out() == "ready\ndone\n");
  }

  void check_no_leak(std::size_t descriptors, std::size_t threads) {
    BOOST_TEST(wrong == 0);
    run_all_at_once();
    BOOST_TEST(entries_of("/proc/self/fd") == descriptors);
    // A thread that was joined may be visible in /proc a moment longer.
    BOOST_TEST(wait_until([&] { return entries_of("/proc/self/task") == threads; }, std::chrono::seconds(5)));
    BOOST_TEST(children_of(getpid()).empty());
    BOOST_TEST(mark.bearers().empty(), mark.description());
    const auto custodian = static_cast<pid_t>(std::stol(tool.shell("echo $PPID").out()));
    for (const pid_t pid : descendants_of(warden_above(custodian)))
      BOOST_TEST(state_of(pid) != 'Z', pid << " is a zombie");
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(calls_from_sixteen_threads_with_cancels_at_random, Crowd) {
  run_all_at_once();
  const std::size_t descriptors = entries_of("/proc/self/fd");
  const std::size_t threads = entries_of("/proc/self/task");
  run_crowd(16, static_cast<unsigned>(repeats(40)));
  check_no_leak(descriptors, threads);
}

BOOST_FIXTURE_TEST_CASE(sixty_four_calls_at_the_same_time, Crowd) {
  run_all_at_once();
  const std::size_t descriptors = entries_of("/proc/self/fd");
  const std::size_t threads = entries_of("/proc/self/task");
  for (int round = 0; round < repeats(10); ++round) run_crowd(64, 1);
  BOOST_TEST(aborted > 0);
  check_no_leak(descriptors, threads);
}

BOOST_FIXTURE_TEST_CASE(sixty_four_calls_run_side_by_side, Crowd) {
  run_all_at_once();  // Each call waits for a file that appears only when all have begun.
}

BOOST_FIXTURE_TEST_CASE(several_tools_share_one_plugin, Crowd) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < repeats(20); ++i) {
        const ToolUnderTest own(plugin, Json{{"limits", {{"timeout_default", 10 + t}}}});
        if (own.shell("exit " + std::to_string(t)).exit_code() != t) ++wrong;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  BOOST_TEST(wrong == 0);
}

BOOST_FIXTURE_TEST_CASE(calls_that_are_never_run_cost_nothing, Crowd) {
  tool.shell("true");
  const std::size_t descriptors = entries_of("/proc/self/fd");
  const std::string arguments = marked("sleep 61").dump();
  wtool_request request{};
  request.struct_size = sizeof(request);
  request.arguments = {arguments.data(), arguments.size()};
  std::vector<wtool_call*> calls(200);
  for (auto& call : calls) {
    BOOST_REQUIRE(tool.get().call_new(&tool.get(), &request, &call, nullptr) == WTOOL_OK);
  }
  for (auto* call : calls) tool.get().call_free(call);
  BOOST_TEST(entries_of("/proc/self/fd") == descriptors);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_AUTO_TEST_SUITE_END()
