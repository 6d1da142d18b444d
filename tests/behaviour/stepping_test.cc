// `wtool run --step`: a person sees each step before it is run.
#include <boost/test/unit_test.hpp>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(stepping_test)

using namespace wtool::test;

namespace {

namespace fs = std::filesystem;

struct Stepped : Place {
  std::string two_steps() const {
    return scratch.file(
        "w.md",
        "---\nfinally: Clean\nparameters:\n  - {name: token, secret: true, default: hunter2hunter2}\n---\n```mermaid\n"
        "stateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\nClean --> [*]\n```\n## Actions\n"
        "- A: Shell \"echo one > a\"\n- B: Shell \"cat a ${token} ${A.exit_code} > b; true\"\n- Clean: Shell \"touch "
        "cleaned\"\n");
  }
};

const std::string question = "Run it? [Enter: yes, n: end the run, a: yes to all]";

// Waits until the question of this number is shown, because what is typed before that does not count.
bool wait_for_question(Program& program, int number) {
  return program.wait_for([&] {
    std::size_t at = 0;
    for (int count = 0; count < number; ++count, ++at) {
      at = program.output().find(question, at);
      if (at == std::string::npos) return false;
    }
    return true;
  });
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(stepping, Stepped)

BOOST_AUTO_TEST_CASE(each_step_is_shown_with_its_values_and_runs_after_a_yes) {
  Program program({wtool_path, "run", two_steps(), "--step"}, Program::On::terminal, here());
  BOOST_REQUIRE(wait_for_question(program, 1));
  BOOST_TEST(holds(program.output(), "A runs: echo one > a"), program.output());
  BOOST_TEST(!there("a"));
  program.type("\n");
  BOOST_REQUIRE(wait_for_question(program, 2));
  BOOST_TEST(holds(program.output(), "B runs: cat a '***' '0' > b"), program.output());
  BOOST_TEST(there("a"));
  BOOST_TEST(!there("b"));
  program.type("a\n");
  BOOST_TEST(program.wait().exit_code == 0);
  BOOST_TEST(there("b"));
  BOOST_TEST(there("cleaned"));
}

BOOST_AUTO_TEST_CASE(a_no_ends_the_run_with_its_finally_and_resume_continues_there) {
  Program program({wtool_path, "run", two_steps(), "--step"}, Program::On::terminal, here());
  BOOST_REQUIRE(wait_for_question(program, 1));
  program.type("\n");
  BOOST_REQUIRE(wait_for_question(program, 2));
  program.type("n\n");
  BOOST_TEST(program.wait().exit_code == 130);
  BOOST_TEST(there("cleaned"));
  BOOST_TEST(!there("b"));
  fs::remove(scratch.path() + "/a");
  const std::string token = scratch.file("token", "hunter2hunter2\n");
  const Finished resumed = run({wtool_path, "resume", "last", "--var-file", "token=" + token}, here());
  BOOST_TEST(resumed.exit_code == 0, resumed.out << resumed.err);
  BOOST_TEST(!there("a"));
  BOOST_TEST(there("b"));
}

BOOST_AUTO_TEST_CASE(without_a_terminal_nothing_runs) {
  const Finished refused = run_workflow(two_steps(), {"--step"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "--step asks on the terminal"), refused.err);
  BOOST_TEST(run_workflow(two_steps(), {"--step", "--detach"}).exit_code == 2);
  BOOST_TEST(!there("a"));
  BOOST_TEST(!there("cleaned"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
