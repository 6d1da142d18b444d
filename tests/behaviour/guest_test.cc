// The plugin is a guest: it leaves its host as it was, and it works in hosts that treat their children badly.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <sstream>
#include <thread>

#include "support/shell_tool.h"
#include "support/snapshot.h"

BOOST_AUTO_TEST_SUITE(guest_test)

using namespace wtool::test;

namespace {

const int rounds = repeats(1000);

// Runs commands with every exit code in turn, and counts those for which another exit code is reported.
int wrong_exit_codes(const ToolUnderTest& tool) {
  int wrong = 0;
  for (int i = 0; i < rounds; ++i) {
    const int code = i % 256;
    const Answer answer = tool.shell("exit " + std::to_string(code));
    if (answer.status != WTOOL_OK || answer.exit_code() != code || answer.is_error() != (code != 0)) ++wrong;
  }
  return wrong;
}

class SignalDisposition {
 public:
  SignalDisposition(int signal, void (*handler)(int), int flags = 0) : signal_(signal) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(signal, &action, &before_);
  }
  ~SignalDisposition() { sigaction(signal_, &before_, nullptr); }
  SignalDisposition(const SignalDisposition&) = delete;
  SignalDisposition& operator=(const SignalDisposition&) = delete;

 private:
  int signal_;
  struct sigaction before_ {};
};

std::atomic<int> child_signals{0};
void count_child_signal(int) { ++child_signals; }

}  // namespace

BOOST_AUTO_TEST_CASE(a_host_that_ignores_its_children_gets_right_exit_codes) {
  const SignalDisposition ignored(SIGCHLD, SIG_IGN);
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  BOOST_TEST(wrong_exit_codes(tool) == 0);
}

BOOST_AUTO_TEST_CASE(a_host_that_wants_no_zombies_gets_right_exit_codes) {
  const SignalDisposition no_wait(SIGCHLD, SIG_DFL, SA_NOCLDWAIT);
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  BOOST_TEST(wrong_exit_codes(tool) == 0);
}

BOOST_AUTO_TEST_CASE(a_host_with_a_thread_that_reaps_everything_gets_right_exit_codes) {
  std::atomic<bool> end{false};
  std::atomic<int> stolen{0};
  std::thread reaper([&] {
    while (!end) {
      int status = 0;
      if (waitpid(-1, &status, __WALL) > 0) {
        ++stolen;
      } else {
        std::this_thread::yield();
      }
    }
  });
  {
    Plugin plugin;
    const ToolUnderTest tool(plugin);
    BOOST_TEST(wrong_exit_codes(tool) == 0);
  }
  end = true;
  reaper.join();
  // __WALL shows children of every kind. No child may be of the ordinary kind, for which a host waits. The plugin reaps
  // the child that starts the warden, unless this test waits for that child first.
  BOOST_TEST(stolen <= 1);
}

BOOST_AUTO_TEST_CASE(a_host_with_a_child_handler_is_never_called) {
  const SignalDisposition counted(SIGCHLD, count_child_signal);
  child_signals = 0;
  {
    Plugin plugin;
    const ToolUnderTest tool(plugin);
    for (int i = 0; i < 20; ++i) BOOST_TEST(tool.shell("sleep 0.01 & echo hi").out() == "hi\n");
  }
  BOOST_TEST(child_signals == 0);
}

BOOST_AUTO_TEST_CASE(a_hosts_own_children_are_left_to_it) {
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  tool.shell("true");
  const pid_t child = fork();
  if (child == 0) _exit(42);
  BOOST_REQUIRE(child > 0);
  BOOST_TEST(wait_for_end(child, std::chrono::seconds(10)));
  for (int i = 0; i < 20; ++i) tool.shell("sleep 30 & true");
  int status = 0;
  BOOST_TEST(waitpid(child, &status, 0) == child);
  BOOST_TEST(WEXITSTATUS(status) == 42);
}

BOOST_AUTO_TEST_CASE(a_host_is_after_the_plugin_as_it_was_before) {
  { Plugin once; }  // When they are first used, the C++ library and Boost allocate memory that stays.
  const ScratchFolder scratch;
  const auto before = snapshot();
  for (int i = 0; i < 3; ++i) {
    Plugin plugin;
    const ToolUnderTest tool(plugin, Json::parse(R"({"limits":{"grace_seconds":1}})"));
    const auto with_plugin = snapshot();
    BOOST_TEST(tool.run({{"command", "pwd"}, {"working_directory", scratch.path()}, {"environment", {{"A", "1"}}}})
                   .exit_code() == 0);
    tool.shell("sleep 30 & echo hi");
    tool.shell("umask 077; ulimit -n 10; cd /; trap '' TERM; sleep 61", {.deadline_ms = 100});
    tool.shell("no-such-program-x");
    tool.run({{"command", ""}});
    std::vector<std::unique_ptr<RunningCall>> calls;
    for (int c = 0; c < 8; ++c) {
      calls.push_back(std::make_unique<RunningCall>(tool, Json{{"command", "echo ready; sleep 61"}}));
    }
    for (auto& call : calls) {
      call->wait_for_output("ready");
      call->cancel(WTOOL_CANCEL_NOW, "enough");
      call->wait();
    }
    calls.clear();
    // After a call has returned, nothing of it is left except the plugin's connection to its warden.
    const std::string still = difference(with_plugin, snapshot());
    std::istringstream lines(still);
    for (std::string line; std::getline(lines, line);) {
      BOOST_TEST((line.rfind("descriptor ", 0) == 0), "a call changed " << line);
    }
  }
  BOOST_TEST(difference(before, snapshot()) == "");
}

BOOST_AUTO_TEST_CASE(a_call_changes_nothing_while_it_runs) {
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  tool.shell("true");
  auto before = snapshot();
  std::string during;
  tool.shell("echo hi; sleep 0.05", {.on_event = [&](const Event& event) {
               if (event.kind == WTOOL_EVENT_STDOUT) during = difference(before, snapshot());
               return 0;
             }});
  std::istringstream lines(during);
  for (std::string line; std::getline(lines, line);) {
    BOOST_TEST((line.rfind("descriptor ", 0) == 0), "a call changes " << line);
  }
}

BOOST_AUTO_TEST_CASE(nothing_is_written_to_the_hosts_standard_streams) {
  if (under_sanitizer) {
    // AddressSanitizer warns once per process that the warden's first steps run on a stack of their own. This call
    // brings up the warning before the output is watched.
    Plugin plugin;
    ToolUnderTest(plugin).shell("true");
  }
  int out[2];
  BOOST_REQUIRE(pipe(out) == 0);
  const int saved_out = dup(1);
  const int saved_err = dup(2);
  dup2(out[1], 1);
  dup2(out[1], 2);
  close(out[1]);
  {
    Plugin plugin;
    const ToolUnderTest tool(plugin);
    tool.shell("echo hi; echo ho >&2; sleep 30 &");
    tool.shell("no-such-program-x");
    tool.run({{"command", ""}});
    tool.shell("sleep 61", {.deadline_ms = 50});
  }
  dup2(saved_out, 1);
  dup2(saved_err, 2);
  close(saved_out);
  close(saved_err);
  char buffer[1000];
  const ssize_t n = read(out[0], buffer, sizeof buffer);  // Ends immediately: nobody has the other end open.
  close(out[0]);
  BOOST_TEST(n == 0, std::string(buffer, n > 0 ? static_cast<std::size_t>(n) : 0));
}

BOOST_AUTO_TEST_CASE(a_host_without_standard_streams_works) {
  // Descriptors 0 to 2 are closed, so descriptors of the plugin may get these numbers.
  const int saved[3] = {dup(0), dup(1), dup(2)};
  for (const int fd : {0, 1, 2}) close(fd);
  std::string out;
  std::string err;
  {
    Plugin plugin;
    const ToolUnderTest tool(plugin);
    const Answer answer = tool.shell("echo hi; echo ho >&2; cat");
    out = answer.out();
    err = answer.err();
  }
  for (const int fd : {0, 1, 2}) {
    dup2(saved[fd], fd);
    close(saved[fd]);
  }
  BOOST_TEST(out == "hi\n");
  BOOST_TEST(err == "ho\n");
}

BOOST_AUTO_TEST_CASE(a_host_out_of_descriptors_gets_an_error_and_recovers) {
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  const rlimit low{64, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  // Each call is made with one more spare descriptor than the call before. The first calls must also start the warden.
  bool worked = false;
  // The undefined-behaviour sanitizer itself needs some descriptors: to see whether an address is mapped, it makes a
  // pipe.
  for (int spare = under_sanitizer ? 3 : 0; spare < 16; ++spare) {
    std::vector<int> used;
    for (int fd; (fd = dup(0)) >= 0;) used.push_back(fd);
    for (int i = 0; i < spare && !used.empty(); ++i) {
      close(used.back());
      used.pop_back();
    }
    const Answer answer = tool.shell("echo hi");
    for (const int fd : used) close(fd);
    BOOST_TEST_CONTEXT(spare << " to spare: status " << answer.status << " " << answer.raw << answer.error) {
      worked = answer.status == WTOOL_OK && !answer.is_error();
      BOOST_TEST((worked || answer.status == WTOOL_E_RESOURCE || answer.code() == "resource_exhausted"));
    }
  }
  setrlimit(RLIMIT_NOFILE, &before);
  BOOST_TEST(worked);
  BOOST_TEST(tool.shell("echo hi").out() == "hi\n");
}

BOOST_AUTO_TEST_CASE(signals_that_hit_the_host_do_not_disturb_a_call) {
  const SignalDisposition counted(SIGALRM, count_child_signal);  // without SA_RESTART
  Plugin plugin;
  const ToolUnderTest tool(plugin);
  std::atomic<bool> end{false};
  const pthread_t runner = pthread_self();
  std::thread disturber([&] {
    while (!end) {
      pthread_kill(runner, SIGALRM);
      std::this_thread::yield();
    }
  });
  int wrong = 0;
  for (int i = 0; i < repeats(50); ++i) {
    const Answer answer = tool.shell("sleep 0.01; echo hi");
    if (answer.status != WTOOL_OK || answer.is_error() || answer.out() != "hi\n") ++wrong;
  }
  end = true;
  disturber.join();
  BOOST_TEST(wrong == 0);
}

BOOST_AUTO_TEST_SUITE_END()
