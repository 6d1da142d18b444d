// Trees of a thousand processes of every shape end completely and immediately when their call is cancelled.
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(tree_kill_test)

using namespace wtool::test;

namespace {

struct Trees : ShellTool {
  static constexpr int size = repeats(1000);

  // The command makes `size` processes, each of which writes a dot.
  void check(const std::string& command) {
    RunningCall call(tool, marked(command));
    BOOST_REQUIRE(call.wait_for_output(std::string(size, '.')));
    call.cancel(WTOOL_CANCEL_NOW, "enough");
    const Answer answer = call.wait();
    BOOST_TEST(answer.code() == "aborted");
    BOOST_TEST(!answer.metadata().contains("processes_left"), answer.raw);
    BOOST_TEST(mark.bearers().empty(), mark.description());
    BOOST_TEST(tool.shell("echo next").out() == "next\n");
  }

  // In the perl text `children`, SIZE is the number of processes, and REST is what each of them does: it writes its
  // dot, runs `each` and sleeps.
  void check_perl(std::string children, const std::string& each = "1") {
    const std::string rest = "syswrite(STDOUT, \".\"); " + each + "; sleep 61; exit";
    for (const auto& [name, value] : {std::pair{"SIZE", std::to_string(size)}, {"REST", rest}}) {
      for (std::size_t at; (at = children.find(name)) != std::string::npos;) children.replace(at, 4, value);
    }
    check("perl -MPOSIX -e '" + children + "'");
  }
};

constexpr const char* wide = "for (1 .. SIZE) { if (!fork) { REST } } sleep 61";

}  // namespace

BOOST_FIXTURE_TEST_SUITE(tree_kill, Trees)

BOOST_AUTO_TEST_CASE(a_wide_tree) { check_perl(wide); }

BOOST_AUTO_TEST_CASE(a_deep_tree) {
  // Each process is the child of the one before, and calls exec. With fork alone, the kernel would take longer for each
  // generation than for the one before.
  const std::string deep =
      scratch.file("deep", "#!/bin/sh\nprintf .\n[ $1 -gt 1 ] || exec sleep 61\n\"$0\" $(($1 - 1)) &\nwait\n", 0755);
  check(deep + ' ' + std::to_string(size));
}

BOOST_AUTO_TEST_CASE(a_tree_of_daemons) { check_perl(wide, "POSIX::setsid()"); }

BOOST_AUTO_TEST_CASE(a_tree_of_daemons_whose_parents_have_gone) {
  check_perl(
      "for (1 .. SIZE) { if (!fork) { exit if fork; POSIX::setsid(); REST } 1 while waitpid(-1, WNOHANG) > 0 } "
      "sleep 61");
}

BOOST_AUTO_TEST_CASE(a_tree_of_stopped_processes) { check_perl(wide, "kill STOP => $$"); }

BOOST_AUTO_TEST_CASE(a_tree_deaf_to_every_signal_that_can_be_ignored) {
  check_perl("$SIG{$_} = \"IGNORE\" for qw(TERM HUP INT QUIT USR1); " + std::string(wide));
}

BOOST_AUTO_TEST_CASE(a_tree_of_process_groups) { check_perl(wide, "setpgrp(0, 0)"); }

BOOST_AUTO_TEST_CASE(a_tree_of_other_users) {
  if (geteuid() != 0) {
    BOOST_TEST_MESSAGE("only root can become other users");
    return;
  }
  check_perl(wide, "$( = $) = \"65534 65534\"; $< = $> = 20000 + $$ % 100");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
