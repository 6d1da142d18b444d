// Runs that make the same outputs at the same time keep none of them.
#include "cache/shared_claim.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "cached_project.h"

using namespace wtool::test;

BOOST_FIXTURE_TEST_SUITE(shared_claim, CachedProject)

BOOST_AUTO_TEST_CASE(outputs_that_another_run_claims_are_a_conflict_for_both) {
  const std::string folder = scratch.path() + "/claims";
  fs::create_directory(folder);
  const auto claim = [&](SharedClaim& held, const std::string& step, const std::string& output) {
    held.take(folder, {step, "r-" + step, {project(), {output}}});
  };
  {
    SharedClaim one, two, three, four;
    claim(one, "A", "build/**");
    claim(two, "B", "other/b");
    BOOST_TEST(one.conflict() == "");
    BOOST_TEST(two.conflict() == "");
    claim(three, "C", "build/app");
    BOOST_TEST(one.conflict() ==
               "its output 'build/**' is also an output of C in the run r-C, which ran at the same time");
    BOOST_TEST(two.conflict() == "");
    BOOST_TEST(three.conflict() ==
               "its output 'build/app' is also an output of A in the run r-A, which ran at the same time");
    // It does not matter any more for a later step.
    one.release();
    three.release();
    claim(four, "D", "build/app");
    BOOST_TEST(four.conflict() == "");
  }
  BOOST_TEST(fs::is_empty(folder));
}

BOOST_AUTO_TEST_CASE(what_a_killed_process_has_claimed_is_free_again) {
  const std::string folder = scratch.path() + "/claims";
  fs::create_directory(folder);
  const pid_t child = ::fork();
  if (child == 0) {
    SharedClaim held;
    held.take(folder, {"A", "", {project(), {"build/app"}}});
    ::raise(SIGKILL);
  }
  int status = 0;
  BOOST_REQUIRE(::waitpid(child, &status, 0) == child);
  BOOST_TEST(!fs::is_empty(folder));
  SharedClaim held;
  held.take(folder, {"B", "", {project(), {"build/app"}}});
  BOOST_TEST(held.conflict() == "");
  held.release();
  BOOST_TEST(fs::is_empty(folder));
}

BOOST_AUTO_TEST_CASE(outputs_that_cannot_be_claimed_are_not_kept) {
  SharedClaim held;
  held.take(project("missing"), {"A", "", {project(), {"build/app"}}});
  BOOST_TEST(held.conflict().starts_with("it cannot claim its outputs"), held.conflict());
  BOOST_TEST(held.conflict().ends_with(": No such file or directory"), held.conflict());
}

BOOST_AUTO_TEST_CASE(an_output_that_another_run_claims_while_it_is_made_is_not_kept) {
  const Work wanted = work();
  scratch.file("project/build/app", "made");
  SharedClaim ours, theirs;
  {
    StepCache cache(options());
    const Look look = cache.look(wanted);
    cache.claim(ours, {"'Build'", "one", {project(), wanted.outputs}});
    cache.claim(theirs, {"'Build'", "two", {project(), wanted.outputs}});
    BOOST_TEST(cache.keep(wanted, look, "result", "one", nothing_refused, ours)
                   .ends_with("'Build' in the run two, which ran at the same time"));
    ours.release();
    theirs.release();
    cache.claim(ours, {"'Build'", "one", {project(), wanted.outputs}});
    BOOST_TEST(cache.keep(wanted, look, "result", "one", nothing_refused, ours) == "");
  }
}

BOOST_AUTO_TEST_SUITE_END()
