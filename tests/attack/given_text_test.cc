// A command attacks the text that its call gave it. It can neither change nor run this text, and cannot read another
// call's text.
#include <sys/stat.h>

#include <boost/test/unit_test.hpp>

#include "support/sandboxed.h"

BOOST_AUTO_TEST_SUITE(given_text_test)

using namespace wtool::test;

namespace {

struct Fixture : Sandboxed {
  const ToolUnderTest tool{plugin, {{"shell", {{"stdin", true}}}}};

  // Runs attack_stdin, which prints one word in a line, and then the text.
  Answer attack(const std::string& what) const {
    return tool.run({{"command", WTOOL_ATTACKS "/attack_stdin " + what}, {"stdin", "#!/bin/sh\necho run\n"}});
  }
};

boost::test_tools::assertion_result can_sandbox(boost::unit_test::test_unit_id) { return has_landlock(1); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stdin_under_attack, Fixture)

BOOST_AUTO_TEST_CASE(nothing_changes_the_text) {
  for (const char* what : {"write", "reopen", "truncate", "grow", "map", "map_reopened", "unseal"}) {
    const Answer answer = attack(what);
    BOOST_TEST_CONTEXT(what << ": " << answer.raw) {
      BOOST_TEST(answer.out().find("changed") == std::string::npos);
      BOOST_TEST(answer.out().ends_with("#!/bin/sh\necho run\n"));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_text_is_not_a_program) {
  const Answer answer = attack("execute");
  BOOST_TEST(answer.out().find("\nrun\n") == std::string::npos, answer.raw);
  BOOST_TEST(answer.out().starts_with("refused"), answer.raw);
}

BOOST_AUTO_TEST_CASE(a_command_in_a_sandbox_cannot_read_the_text_of_another_call,
                     *boost::unit_test::precondition(can_sandbox)) {
  Json config = sandbox({{"network", "deny"}, {"read", {"/"}}});
  config["shell"]["stdin"] = true;
  const ToolUnderTest confined(plugin, config);
  const auto what_another_call_sees = [&](const ToolUnderTest& one) {
    RunningCall reader(one, {{"command", "echo begun; read -r x; sleep 60"}, {"stdin", "line\nthe secret\n"}});
    BOOST_REQUIRE(reader.wait_for_output("begun\n"));
    const Answer answer = one.run(
        {{"command",
          "for f in /proc/[0-9]*/fd/0; do case $(readlink $f) in *memfd:stdin*) cat $f;; esac; done 2>/dev/null; "
          "echo looked"},
         {"stdin", "own\n"},
         {"working_directory", inside}});
    reader.cancel(WTOOL_CANCEL_NOW, "seen");
    reader.wait();
    BOOST_TEST(answer.out().ends_with("looked\n"), answer.raw);
    return answer.out();
  };
  const std::string seen = what_another_call_sees(confined);
  BOOST_TEST(seen.find("own") != std::string::npos, seen);
  BOOST_TEST(seen.find("secret") == std::string::npos, seen);
  // Without a sandbox, processes of one user see each other's files.
  BOOST_TEST(what_another_call_sees(tool).find("the secret") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
