// When a host dies in the middle of a call, no process is left after a second. That holds even if a child of the host
// lives on with copies of all its descriptors. A host that exits does not wait for its calls, and a forked child that ends
// leaves alone what its parent has.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(host_death_test)

using namespace wtool::test;

namespace {

pid_t number_after(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  BOOST_REQUIRE(at != std::string::npos);
  return static_cast<pid_t>(std::stol(text.substr(at + word.size())));
}

// The mark must not be on the host's own command line, so one of its letters is written as a JSON escape.
std::string hidden(const Json& arguments, const Mark& mark) {
  std::string text = arguments.dump();
  text.replace(text.find(mark.text()), 4, "\\u006dark");
  return text;
}

struct Death {
  Mark mark;

  void check(const std::string& command, int signal, bool fork_first, const Json& more = Json::object()) {
    BOOST_TEST_CONTEXT(command << ", signal " << signal << (fork_first ? ", with a child" : "")) {
      Json arguments{{"command", command}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}};
      arguments.update(more);
      std::vector<std::string> argv{std::string(WTOOL_TEST_HOSTS) + "/dying_host", hidden(arguments, mark)};
      if (fork_first) argv.emplace_back("fork");
      Program host(argv, Program::On::pipes);
      BOOST_REQUIRE(host.wait_for_output("ready"));
      const pid_t warden = number_after(host.output(), "warden ");
      BOOST_REQUIRE(name_of(warden) == "shell-warden");
      const pid_t child = fork_first ? number_after(host.output(), "child ") : 0;
      std::vector<pid_t> helpers = children_of(warden);
      helpers.push_back(warden);
      BOOST_TEST(!mark.bearers().empty());

      host.kill(signal);
      const auto end = std::chrono::steady_clock::now() + within(1000);
      BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
      for (const pid_t pid : helpers) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
        BOOST_TEST(wait_for_end(pid, std::max(left, std::chrono::milliseconds(0))), pid << " " << name_of(pid));
      }
      if (fork_first) {
        BOOST_TEST(exists(child));  // If the child were dead, the test would prove nothing.
        ::kill(child, SIGKILL);
      }
      BOOST_TEST(host.wait().signal == signal);
    }
  }
};

Finished exiting_host(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{std::string(WTOOL_TEST_HOSTS) + "/exiting_host"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return run(argv);
}

const char* const commands[] = {
    "echo ready; sleep 61",
    "setsid sh -c 'sleep 61' & (setsid sleep 61 &); echo ready; sleep 61",
    "trap '' TERM HUP INT; setsid sleep 61 & echo ready; sleep 61",
    "echo ready; while :; do echo noise; done",
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_killed_host_leaves_nothing, Death) {
  for (const char* command : commands) check(command, SIGKILL, false);
}

BOOST_FIXTURE_TEST_CASE(a_killed_host_whose_child_lives_on_leaves_nothing, Death) {
  for (const char* command : commands) check(command, SIGKILL, true);
}

BOOST_FIXTURE_TEST_CASE(a_host_that_dies_of_another_signal_leaves_nothing, Death) {
  check(commands[1], SIGTERM, false);
  check(commands[1], SIGHUP, false);
}

BOOST_FIXTURE_TEST_CASE(hosts_that_are_killed_one_after_the_other_leave_nothing, Death) {
  for (int i = 0; i < repeats(10); ++i) check(commands[1], SIGKILL, i % 2 == 0);
}

BOOST_FIXTURE_TEST_CASE(a_host_that_exits_during_a_call_does_not_wait_and_leaves_nothing, Death) {
  const ScratchFolder scratch;
  const std::string late = scratch.path() + "/late";
  const std::string command = "trap '' TERM; echo ready; sleep 5; echo > '" + late + "'";
  const Json arguments{{"command", command}, {"environment", {{"WTOOL_TEST_MARK", mark.text()}}}};
  const Finished host = exiting_host({"call", hidden(arguments, mark)});
  BOOST_TEST(host.exit_code == 7);
  BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
  BOOST_TEST(::access(late.c_str(), F_OK) != 0);
}

BOOST_AUTO_TEST_CASE(a_forked_child_that_exits_leaves_its_parents_processes_alone) {
  const Finished host = exiting_host({"exit"});
  BOOST_TEST(host.out == "child ended with 0\nthe process lives\nthe terminal is running\n");
  BOOST_TEST(host.exit_code == 0);
}

BOOST_AUTO_TEST_CASE(a_forked_child_can_end_its_copy_of_the_plugin_and_open_its_own) {
  const Finished host = exiting_host({"deinit"});
  BOOST_TEST(host.out == "child says own\n\nchild ended with 0\nthe process lives\nthe terminal is running\n");
  BOOST_TEST(host.exit_code == 0);
}

BOOST_AUTO_TEST_SUITE_END()
