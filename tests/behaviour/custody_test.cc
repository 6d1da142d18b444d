// No process that a command starts outlives its call, whatever it does: its own sessions, double forks, processes that
// ignore signals or never rest, and attacks on the keepers.
//
// A test never signals a process that it did not start: commands that attack the warden get its process id from an
// earlier call, and find it as their own ancestor.
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <mutex>
#include <random>
#include <thread>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(custody_test)

using namespace wtool::test;

namespace {

const Json short_grace = Json::parse(R"({"limits":{"grace_seconds":1}})");

struct Custody : ShellTool {
  ToolUnderTest hasty{plugin, short_grace};

  // Runs the command `times` times, 16 at a time. Each call is ended by its own deadline, and afterwards no process is
  // left.
  void run_often(const std::string& command, int times) {
    std::atomic<int> next{0};
    std::atomic<int> wrong{0};
    std::atomic<int> left{0};
    std::mutex mutex;
    std::string other;  // an answer that is not the expected one
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 16; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t + 1);
        while (next++ < times) {
          const Mark own;
          const Json arguments{{"command", command}, {"environment", {{"WTOOL_TEST_MARK", own.text()}}}};
          const Answer answer = hasty.run(arguments, {.deadline_ms = 50 + random() % 400});
          if (answer.code() != "timed_out") {
            ++wrong;
            const std::lock_guard lock(mutex);
            other = answer.raw + answer.error;
          }
          left += static_cast<int>(own.bearers().size());
        }
      });
    }
    for (auto& thread : threads) thread.join();
    BOOST_TEST(wrong == 0, wrong << " of " << times << ", such as " << other);
    BOOST_TEST(left == 0);
  }

  // The custodian that serves a call now, and the warden above it.
  pid_t custodian() const { return static_cast<pid_t>(std::stol(tool.shell("echo $PPID").out())); }
  pid_t warden() const { return warden_above(custodian()); }

  void check_next_call_works() const {
    for (int i = 0; i < 3; ++i) BOOST_TEST(tool.shell("echo next").out() == "next\n");
  }

  // Checks that the result of the call is an error with a code, that no process is left, and that the tool still works.
  void check_attack(const std::string& command) {
    const Answer answer = hasty.run(marked(command), {.deadline_ms = 5000});
    BOOST_TEST_CONTEXT(command << " gave " << answer.raw << answer.error) {
      BOOST_TEST(answer.status == WTOOL_OK);
      BOOST_REQUIRE(answer.result.is_object());
      BOOST_TEST(answer.is_error());
      BOOST_TEST(!answer.code().empty());
      BOOST_TEST(mark.bearers().empty(), mark.description());
      check_next_call_works();
    }
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_process_in_its_own_session_does_not_escape, Custody) {
  run_often("setsid sh -c 'sleep 61' & sleep 61", repeats(100));
}

BOOST_FIXTURE_TEST_CASE(a_double_fork_does_not_escape, Custody) {
  run_often("(setsid sh -c '(sleep 61 &) ; sleep 61' &) ; sleep 61", repeats(100));
}

BOOST_FIXTURE_TEST_CASE(a_process_deaf_to_the_termination_signal_does_not_escape, Custody) {
  run_often("trap '' TERM; sleep 61", repeats(100));
}

BOOST_FIXTURE_TEST_CASE(a_wide_tree_does_not_escape, Custody) {
  const Answer answer = hasty.run(marked("i=0; while [ $i -lt 300 ]; do sleep 61 & i=$((i+1)); done; echo ready; wait"),
                                  {.deadline_ms = 3000});
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_deep_tree_does_not_escape, Custody) {
  const std::string deep =
      scratch.file("deep", "#!/bin/sh\n[ $1 -gt 0 ] || exec sleep 61\n\"$0\" $(($1-1)) &\nwait\n", 0755);
  const Answer answer = hasty.run(marked(deep + " 100"), {.deadline_ms = 1500});
  BOOST_TEST(answer.code() == "timed_out");
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_process_that_never_rests_does_not_escape, Custody) {
  // Each generation ignores signals, has its own session, starts the next generation and ends. A process that was just
  // seen has already been replaced by another one.
  const std::string hydra = scratch.file("hydra", "#!/bin/sh\ntrap '' TERM HUP INT\nsetsid \"$0\" &\nexit 0\n", 0755);
  for (int i = 0; i < repeats(10); ++i) {
    const Answer swept = hasty.run(marked(hydra + "; echo hi"));
    BOOST_TEST(swept.out() == "hi\n");
    BOOST_TEST(mark.bearers().empty(), mark.description());
    const Answer stopped = hasty.run(marked(hydra + "; sleep 61"), {.deadline_ms = 200});
    BOOST_TEST(stopped.code() == "timed_out");
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
}

BOOST_FIXTURE_TEST_CASE(a_deaf_background_process_is_swept, Custody) {
  const Answer answer = hasty.run(marked("(trap '' TERM; setsid sleep 61) & sleep 0.1; echo hi"));
  BOOST_TEST(answer.out() == "hi\n");
  BOOST_TEST(answer.metadata().at("background_processes_ended").get<int>() >= 1);
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(a_command_that_kills_its_parent, Custody) {
  for (int i = 0; i < repeats(20); ++i) check_attack("setsid sleep 61 & kill -9 $PPID; sleep 61");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_terminates_its_parent, Custody) {
  // The parent may obey or ignore the signals. If it ignores them, the command runs to its deadline.
  check_attack("setsid sleep 61 & kill $PPID; kill -INT $PPID; kill -HUP $PPID; sleep 61");
}

BOOST_FIXTURE_TEST_CASE(a_command_that_stops_its_parent, Custody) {
  const auto began = std::chrono::steady_clock::now();
  const Answer answer = hasty.run(marked("setsid sleep 61 & kill -STOP $PPID; sleep 61"), {.deadline_ms = 500});
  const auto took = std::chrono::steady_clock::now() - began;
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.is_error());
    // If nobody continued the parent, the call would give up only seven seconds after the grace period.
    BOOST_TEST((took < std::chrono::milliseconds(7500)));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
  check_next_call_works();
}

BOOST_FIXTURE_TEST_CASE(a_command_that_stops_its_parent_and_ends, Custody) {
  const Answer answer = hasty.run(marked("setsid sleep 61 & kill -STOP $PPID; echo hi"), {.deadline_ms = 1000});
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.took.count() < 8000);
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
  check_next_call_works();
}

BOOST_FIXTURE_TEST_CASE(a_command_that_kills_its_own_group, Custody) {
  // The substitution ends when the background process has left the group.
  const Answer answer =
      hasty.run(marked(": $(setsid sh -c 'sleep 61 >/dev/null 2>&1 &'); kill 0; sleep 61"), {.deadline_ms = 5000});
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(answer.text() == "Command killed by SIGTERM");
    BOOST_TEST((answer.metadata().at("background_processes_ended") == Json(1)));
    BOOST_TEST(mark.bearers().empty(), mark.description());
  }
  check_next_call_works();
}

BOOST_FIXTURE_TEST_CASE(a_command_that_kills_the_warden, Custody) {
  for (int i = 0; i < repeats(10); ++i) {
    const pid_t old = warden();
    check_attack("setsid sleep 61 & kill -9 " + std::to_string(old) + "; sleep 61");
    BOOST_TEST(wait_for_end(old, within(1000)));
    BOOST_TEST(warden() != old);
  }
}

BOOST_FIXTURE_TEST_CASE(a_command_that_kills_every_process_with_the_wardens_name, Custody) {
  // This does what `pkill -9 shell-warden` and `pkill -9 -f shell-warden` do, but only to the keepers of this host.
  for (int i = 0; i < repeats(10); ++i) {
    const std::string old = std::to_string(warden());
    check_attack("setsid sleep 61 & for p in " + old + " $(cat /proc/" + old +
                 "/task/*/children); do if grep -aq shell-warden /proc/$p/comm /proc/$p/cmdline; then kill -9 $p; fi; "
                 "done; sleep 61");
  }
}

BOOST_FIXTURE_TEST_CASE(a_command_that_kills_both_its_keepers_at_once_gets_a_clear_result, Custody) {
  // Once both keepers are dead, no process can end what escaped into its own session. The result says that custody
  // was lost, the command itself is dead, and the host continues. The test ends what is left.
  for (int i = 0; i < repeats(10); ++i) {
    const Mark own;
    const Json environment{{"WTOOL_TEST_MARK", own.text()}};
    const Answer answer = hasty.run(
        {{"command", "kill -9 " + std::to_string(warden()) + " $PPID; sleep 61"}, {"environment", environment}},
        {.deadline_ms = 5000});
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.status == WTOOL_OK);
      BOOST_TEST(answer.code() == "engine_lost");
    }
    for (const pid_t pid : own.bearers()) kill(pid, SIGKILL);
    check_next_call_works();
  }
}

BOOST_FIXTURE_TEST_CASE(calls_in_flight_when_the_warden_dies_all_answer, Custody) {
  const pid_t old = warden();
  std::vector<std::unique_ptr<RunningCall>> calls;
  for (int i = 0; i < 8; ++i) {
    calls.push_back(std::make_unique<RunningCall>(tool, marked("setsid sleep 61 & echo ready; sleep 61")));
  }
  for (auto& call : calls) BOOST_REQUIRE(call->wait_for_output("ready"));
  tool.shell("kill -9 " + std::to_string(old));
  for (auto& call : calls) {
    const Answer answer = call->wait();
    BOOST_TEST(answer.status == WTOOL_OK);
    BOOST_TEST(answer.code() == "engine_lost", answer.raw);
  }
  BOOST_TEST(mark.bearers().empty(), mark.description());
  check_next_call_works();
}

BOOST_FIXTURE_TEST_CASE(a_command_that_stops_the_warden_does_not_hang_the_host, Custody) {
  const pid_t old = warden();
  const Answer answer =
      hasty.run(marked("setsid sleep 61 & kill -STOP " + std::to_string(old) + "; sleep 61"), {.deadline_ms = 500});
  BOOST_TEST(answer.is_error());
  BOOST_TEST(mark.bearers().empty(), mark.description());
  std::vector<std::unique_ptr<RunningCall>> calls;  // more than there are idle custodians, so the warden is needed
  for (int i = 0; i < 4; ++i)
    calls.push_back(std::make_unique<RunningCall>(tool, marked("sleep 0.2"), CallOptions{.deadline_ms = 5000}));
  for (auto& call : calls) {
    const Answer each = call->wait();
    BOOST_TEST(each.took.count() < within(1500).count());
    BOOST_TEST(!each.is_error(), each.raw);
  }
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(the_memory_of_warden_and_custodian_is_closed_to_commands, Custody) {
  for (const char* command : {"cat /proc/$PPID/environ", "head -c 1 /proc/$PPID/mem", "ls /proc/$PPID/fd"}) {
    // A command of the same user may not look into the keepers, unless the user is root.
    if (geteuid() != 0) BOOST_TEST(tool.shell(command).is_error(), command);
  }
}

BOOST_AUTO_TEST_CASE(the_end_of_the_plugin_is_the_end_of_its_helpers) {
  pid_t custodian = 0;
  pid_t warden = 0;
  {
    Plugin plugin;
    const ToolUnderTest tool(plugin);
    custodian = static_cast<pid_t>(std::stol(tool.shell("echo $PPID").out()));
    warden = warden_above(custodian);
  }
  BOOST_TEST(wait_for_end(warden, within(1000)));
  BOOST_TEST(wait_for_end(custodian, within(1000)));
}

BOOST_FIXTURE_TEST_CASE(the_warden_is_neither_child_nor_session_mate_of_the_host, Custody) {
  const pid_t pid = warden();
  BOOST_TEST(parent_of(pid) != getpid());
  BOOST_TEST(children_of(getpid()).empty());
  BOOST_TEST(getsid(pid) != getsid(0));
  BOOST_TEST(getpgid(pid) != getpgid(0));
}

BOOST_FIXTURE_TEST_CASE(the_pool_of_custodians_shrinks_again, Custody) {
  std::vector<std::unique_ptr<RunningCall>> calls;
  Gate gate(scratch);
  for (int i = 0; i < 64; ++i) {
    calls.push_back(std::make_unique<RunningCall>(tool, marked("echo ready; " + gate.wait())));
  }
  for (auto& call : calls) BOOST_REQUIRE(call->wait_for_output("ready"));
  const pid_t top = parent_of(parent_of(mark.bearers().front()));
  BOOST_REQUIRE(name_of(top) == "shell-warden");
  BOOST_TEST(children_of(top).size() == 64u);
  gate.open();
  for (auto& call : calls) BOOST_TEST(!call->wait().is_error());
  BOOST_TEST(wait_until([&] { return children_of(top).size() <= 32; }, std::chrono::seconds(30)),
             children_of(top).size() << " custodians are still there");
  for (const pid_t pid : descendants_of(top)) BOOST_TEST(state_of(pid) != 'Z');
}

BOOST_AUTO_TEST_SUITE_END()
