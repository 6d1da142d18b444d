// The sandboxed commands of one terminal session share what they may signal: a later command can end a process that an
// earlier one has left. They can signal no other process. Even if a command attacks the helper programs, none of its
// processes is left.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "support/sandboxed.h"
#include "support/terminal.h"

BOOST_AUTO_TEST_SUITE(session_scope_test)

using namespace wtool::test;

namespace {

boost::test_tools::assertion_result has_scopes(boost::unit_test::test_unit_id) { return has_landlock(6); }

struct Sessions : Terminal {
  Mark mark;
  Sessions() {
    // Protected names need namespaces. Where these exist, the names' mounts are made inside the session's scope.
    config["sandbox"] = {{"write", {scratch.path()}}, {"required", true}};
    if (!has_namespaces()) config["sandbox"]["protect"] = "none";
    scratch.file(".bashrc", "");
  }

  std::string open_marked() { return open({{"environment", {{"WTOOL_TEST_MARK", mark.text()}}}}); }

  // Leaves a background process in the session, and returns its process id.
  std::string leave_one(const std::string& session) {
    const Json left = script(session, "sleep 61 & echo $!\n");
    BOOST_REQUIRE_MESSAGE(left.at("success") == true, left.dump());
    std::string number = left.at("stdout");
    number.pop_back();
    BOOST_REQUIRE(number.find_first_not_of("0123456789") == std::string::npos);
    return number;
  }

  // Runs `kill` in the session, and returns the answer.
  Json signal(const std::string& session, const std::string& numbers, const std::string& which = "0") {
    return script(session, "kill -" + which + " " + numbers + " 2>&1\n");
  }

  static bool refused(const Json& answer) {
    return answer.at("success") == false &&
           answer.at("stdout").get<std::string>().find("ermitted") != std::string::npos;
  }

  pid_t custodian(const std::string& session) {
    return static_cast<pid_t>(std::stol(script(session, "echo $PPID\n").at("stdout").get<std::string>()));
  }

  void check_nothing_is_left() const {
    BOOST_TEST(wait_until([&] { return mark.bearers().empty(); }, within(1000)), mark.description());
  }

  // Checks that the scope still works: a later command ends what an earlier one left.
  void check_scope(const std::string& session) {
    const std::string number = leave_one(session);
    const Json killed = signal(session, number, "KILL");
    BOOST_TEST(killed.at("success") == true, killed.dump());
    BOOST_TEST(wait_for_end(static_cast<pid_t>(std::stol(number)), within(1000)));
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(session_scope, *boost::unit_test::precondition(has_scopes))

BOOST_FIXTURE_TEST_CASE(a_later_call_ends_what_earlier_ones_left, Sessions) {
  const std::string id = open_marked();
  std::string numbers;
  for (int i = 0; i < 3; ++i) numbers += leave_one(id) + " ";
  BOOST_TEST(mark.bearers().size() == 3U, mark.description());
  const Json answer = signal(id, numbers, "TERM");
  BOOST_TEST(answer.at("success") == true, answer.dump());
  check_nothing_is_left();
  check_scope(id);
}

BOOST_FIXTURE_TEST_CASE(another_session_cannot_signal_them, Sessions) {
  const std::string one = open_marked(), other = open();
  const std::string number = leave_one(one);
  for (const char* which : {"0", "TERM", "KILL", "STOP"}) {
    const Json answer = signal(other, number, which);
    BOOST_TEST(refused(answer), answer.dump());
  }
  BOOST_TEST(signal(one, number).at("success") == true);
  // A command without a session cannot signal the session's process, and the session cannot signal that command's
  // process.
  config["background"] = "keep";
  const ToolUnderTest none(plugin, config);
  const Answer answer = none.run({{"command", "kill " + number}});
  BOOST_TEST(answer.is_error());
  const Answer left = none.run({{"command", "sleep 61 & echo $!"}, {"working_directory", scratch.path()}});
  BOOST_TEST(refused(signal(one, std::to_string(std::stol(left.out())))), left.raw);
}

BOOST_FIXTURE_TEST_CASE(nothing_outside_is_in_reach, Sessions) {
  const std::string id = open_marked();
  leave_one(id);
  const pid_t neighbour = fork();
  if (neighbour == 0) {
    for (;;) pause();
  }
  const pid_t warden = warden_above(custodian(id));
  for (const pid_t pid : {getpid(), neighbour, warden}) {
    const Json answer = signal(id, std::to_string(pid));
    BOOST_TEST(refused(answer), answer.dump());
  }
  kill(neighbour, SIGKILL);
  waitpid(neighbour, nullptr, 0);
}

BOOST_FIXTURE_TEST_CASE(a_command_that_kills_its_custodian_is_ended, Sessions) {
  const std::string id = open_marked();
  const std::string earlier = leave_one(id);
  const Json answer = script(id, "setsid sleep 61 & kill -KILL $PPID; sleep 61\n", {{"timeout", within(2000).count()}});
  BOOST_TEST(answer.at("success") == false, answer.dump());
  BOOST_TEST(code(answer) == "EXECUTION_ERROR", answer.dump());
  // Only the process of the earlier call is left, because that call has another custodian.
  BOOST_TEST(wait_until([&] { return mark.bearers().size() == 1U; }, within(1000)), mark.description());
  BOOST_TEST(signal(id, earlier, "KILL").at("success") == true);
  check_nothing_is_left();
  check_scope(id);
}

BOOST_FIXTURE_TEST_CASE(custodians_that_are_stopped_delay_nothing, Sessions) {
  const std::string id = open_marked();
  leave_one(id);
  const Json answer = script(id, "kill -STOP $PPID; echo still\n", {{"timeout", within(2000).count()}});
  BOOST_TEST(answer.at("stdout") == "still\n", answer.dump());
  script(id, "while :; do kill -STOP $PPID; done\n", {{"timeout", 500}});
  check_scope(id);
  BOOST_TEST(close(id).at("success") == true);
  check_nothing_is_left();
}

BOOST_FIXTURE_TEST_CASE(a_session_whose_keeper_was_ended_or_stopped_gets_another, Sessions) {
  const std::string id = open_marked();
  for (const char* which : {"STOP", "KILL"}) {
    const std::vector<pid_t> helpers = children_of(warden_above(custodian(id)));
    BOOST_TEST(helpers.size() >= 2U);
    std::string numbers;
    for (const pid_t pid : helpers) numbers += std::to_string(pid) + " ";
    signal(id, numbers, which);
    check_scope(id);
  }
  BOOST_TEST(close(id).at("success") == true);
  check_nothing_is_left();
}

BOOST_FIXTURE_TEST_CASE(closing_leaves_no_helper_program_of_the_session, Sessions) {
  const std::string idle = open();
  const pid_t warden = warden_above(custodian(idle));
  close(idle);
  BOOST_TEST(wait_until([&] { return children_of(warden).empty(); }, within(1000)));
  const std::string id = open_marked();
  leave_one(id);
  leave_one(id);
  BOOST_TEST(children_of(warden).size() >= 3U);
  close(id);
  BOOST_TEST(wait_until([&] { return children_of(warden).empty(); }, within(1000)));
  check_nothing_is_left();
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
