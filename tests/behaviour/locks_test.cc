// Locks of steps and workflows, between runs of this user: who has a lock, who waits for it, and what ends the wait.
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>

#include "workflow_place.h"

BOOST_AUTO_TEST_SUITE(locks_test)

using namespace wtool::test;

namespace {

struct Locks : Place {
  ProgramOptions at() const {
    ProgramOptions options = here();
    options.set["XDG_STATE_HOME"] = scratch.path() + "/state";
    return options;
  }
  std::string one(const std::string& name, const std::string& front_matter, const std::string& actions) const {
    return scratch.file(
        name,
        "---\n" + front_matter + "---\n```mermaid\nstateDiagram-v2\n[*] --> A\nA --> [*]\n```\n## Actions\n" + actions);
  }
  Finished wtool(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), wtool_path);
    return run(arguments, at());
  }
};

// A run that holds the lock until the gate is open.
struct Held : Locks {
  Gate gate{scratch};
  const std::string first = "- A: Shell \"touch begun; " + gate.wait() + "; echo first >>order\"";
  const std::string second = "- A: Shell \"echo second >>order\"";

  void check(const std::string& waits) {
    Program holder({wtool_path, "run", "first.md"}, Program::On::pipes, at());
    BOOST_REQUIRE(wait_until([&] { return there("begun"); }, std::chrono::seconds(30)));
    // The second run is on a terminal, so that its standard output and standard error can both be read while it waits.
    ProgramOptions wide = at();
    wide.columns = 400;
    Program waiter({wtool_path, "run", "second.md"}, Program::On::terminal, wide);
    BOOST_REQUIRE(waiter.wait_for_output(waits));
    // A third run is aborted while it waits.
    Program aborted({wtool_path, "run", "second.md"}, Program::On::terminal, wide);
    BOOST_REQUIRE(aborted.wait_for_output(waits));
    aborted.kill(SIGINT);
    BOOST_TEST(aborted.wait().exit_code == 130);
    BOOST_TEST(!there("order"));
    gate.open();
    BOOST_TEST(holder.wait().exit_code == 0);
    const Finished waited = waiter.wait();
    BOOST_TEST(waited.exit_code == 0, waited.out);
    BOOST_TEST(holds(waited.out, "(process " + std::to_string(holder.pid()) + ")"), waited.out);
    BOOST_TEST(file("order") == "first\nsecond\n");
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(locks)

BOOST_FIXTURE_TEST_CASE(a_step_waits_for_the_lock_of_a_step_of_another_run, Held) {
  one("first.md", "", first + " lock=\"db\"\n");
  one("second.md", "parameters: [{name: name, default: db}]\n", second + " lock=\"${name}\"\n");
  check("'A' waits for the lock \"db\", which 'A' of first.md in the run ");
}

BOOST_FIXTURE_TEST_CASE(a_run_waits_for_a_run_of_the_same_concurrency, Held) {
  one("first.md", "concurrency: deploy\n", first + "\n");
  one("second.md", "concurrency: deploy\n", second + "\n");
  check("second.md waits for the lock \"deploy\", which first.md in the run ");
}

BOOST_FIXTURE_TEST_CASE(a_lock_is_free_when_its_process_was_killed, Held) {
  one("first.md", "", first + " lock=\"db\"\n");
  one("second.md", "", second + " lock=\"db\"\n");
  Program holder({wtool_path, "run", "first.md"}, Program::On::pipes, at());
  BOOST_REQUIRE(wait_until([&] { return there("begun"); }, std::chrono::seconds(30)));
  holder.kill(SIGKILL);
  holder.wait();
  BOOST_TEST(wtool({"run", "second.md"}).exit_code == 0);
  BOOST_TEST(file("order") == "second\n");
}

BOOST_FIXTURE_TEST_CASE(combinations_with_a_lock_run_one_after_the_other, Locks) {
  one("m.md", "",
      "- A: Shell \"mkdir one && echo ${matrix.n} >>seen; rmdir one\" lock=\"m\" matrix={\"n\": [1, 2, 3, 4]}\n");
  const Finished finished = wtool({"run", "m.md"});
  BOOST_TEST(finished.exit_code == 0, finished.err);
  BOOST_TEST(file("seen").size() == 8U);
}

BOOST_FIXTURE_TEST_CASE(a_step_within_the_step_that_has_the_lock_fails_and_says_so, Locks) {
  one("outer.md", "concurrency: both\n", "- A: Run workflow \"inner\" lock=\"db\"\n");
  one("inner.md", "concurrency: both\nparameters: [{name: name, default: db}]\n",
      "- A: Shell \"touch ran\" lock=\"${name}\"\n");
  const Finished finished = wtool({"run", "outer.md"});
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out + finished.err, "'A' of outer.md, already holds the lock \"db\""), finished.err);
  one("inner.md", "", "- A: Shell \"touch ran\" lock=\"db\"\n");
  const Finished refused = wtool({"run", "outer.md"});
  BOOST_TEST(refused.exit_code == 2);
  BOOST_TEST(holds(refused.err, "error: this step holds the lock \"db\" while 'A' of "), refused.err);
  BOOST_TEST(!there("ran"));
}

BOOST_FIXTURE_TEST_CASE(branches_that_would_wait_forever_for_the_locks_of_one_another_fail, Locks) {
  scratch.file("both.md",
               "```mermaid\nstateDiagram-v2\nstate fork <<fork>>\n[*] --> fork\nfork --> X\nfork --> Y\n"
               "X --> [*]\nY --> [*]\n```\n## Actions\n"
               "- X: Run workflow \"x\" lock=\"x\"\n- Y: Run workflow \"y\" lock=\"y\"\n");
  // Each branch waits until the other one has begun, and so has its first lock.
  const auto inner = [&](const std::string& own, const std::string& other, const std::string& action) {
    scratch.file(own + ".md",
                 "```mermaid\nstateDiagram-v2\n[*] --> A\nA --> B\nB --> [*]\n```\n## Actions\n- A: Shell \"touch " +
                     own + "; until test -e " + other + "; do sleep 0.01; done\"\n- B: " + action + "\n");
  };
  inner("x", "y", "Shell \"true\" lock=\"y\"");
  inner("y", "x", "Shell \"true\" lock=\"x\"");
  const Finished steps = wtool({"run", "both.md"});
  BOOST_TEST(steps.exit_code == 1, steps.err);
  BOOST_TEST(holds(steps.out + steps.err, "this step would wait forever for the lock \""), steps.err);
  BOOST_TEST(holds(steps.out + steps.err, ", holds; take locks that are inside of one another in the same order"),
             steps.err);
  // The second lock of the branch x is now that of a whole workflow.
  std::filesystem::remove(scratch.path() + "/x");
  std::filesystem::remove(scratch.path() + "/y");
  one("all.md", "concurrency: all\n", "- A: Run workflow \"y\" lock=\"y\"\n");
  one("alone.md", "concurrency: all\n", "- A: Shell \"true\"\n");
  scratch.file("both.md",
               "```mermaid\nstateDiagram-v2\nstate fork <<fork>>\n[*] --> fork\nfork --> X\nfork --> Y\n"
               "X --> [*]\nY --> [*]\n```\n## Actions\n"
               "- X: Run workflow \"x\" lock=\"x\"\n- Y: Run workflow \"all\"\n");
  inner("x", "y", "Run workflow \"alone\"");
  const Finished runs = wtool({"run", "both.md"});
  BOOST_TEST(runs.exit_code == 1, runs.err);
  BOOST_TEST(holds(runs.out + runs.err, " would wait forever for the lock \""), runs.err);
}

BOOST_FIXTURE_TEST_CASE(a_secret_cannot_name_a_lock, Locks) {
  namespace fs = std::filesystem;
  one("w.md", "parameters: [{name: pw, secret: true, default: hunter2hunter2}]\n",
      "- A: Shell \"touch ran\" lock=\"l-${pw}\"\n");
  const Finished finished = wtool({"run", "w.md"});
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out + finished.err, "the name of a lock contains a secret value"), finished.err);
  BOOST_TEST(!there("ran"));
  one("w.md", "concurrency: one\n", "- A: Shell \"touch ran\" lock=\"two\"\n");
  BOOST_TEST(wtool({"run", "w.md"}).exit_code == 0);
  const std::string folder = scratch.path() + "/state/wtool/locks";
  BOOST_TEST((fs::status(folder).permissions() == fs::perms::owner_all));
  for (const auto& entry : fs::directory_iterator(folder)) {
    BOOST_TEST(!holds(entry.path().string(), "hunter2"), entry.path().string());
  }
}

BOOST_FIXTURE_TEST_CASE(names_that_cannot_be_locks_are_errors, Locks) {
  one("w.md", "concurrency: a/b\nparameters: [{name: name, default: ../x}]\n",
      "- A: Shell \"touch ran\" lock=\"..\"\n");
  const Finished lint = wtool({"lint", "w.md"});
  BOOST_TEST(holds(lint.out, ":2:14: error: the name of a lock must have at most 100 characters"), lint.out);
  BOOST_TEST(holds(lint.out, "; this is \"..\""), lint.out);
  one("w.md", "parameters: [{name: name, default: ../x}]\n", "- A: Shell \"touch ran\" lock=\"${name}\"\n");
  const Finished finished = wtool({"run", "w.md"});
  BOOST_TEST(finished.exit_code == 1);
  BOOST_TEST(holds(finished.out + finished.err, "; this is \"../x\""), finished.err);
  BOOST_TEST(!there("ran"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()
