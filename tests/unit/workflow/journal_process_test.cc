// journal/journal.h: what a killed process leaves of its journal, and how long a process keeps its journal locked.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "journal/journal.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"
#include "reporting_support.h"
#include "support/program.h"

namespace journal_process_test {

using namespace wtool::host::journal;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using namespace wtool::test;

namespace {

// The only journal below the folder, as it was read.
RunRecord only_run(const ScratchFolder& folder) {
  std::string error;
  const std::string id = find_run(folder.path(), "last", error);
  const auto content = read_journal(journal_file(folder.path(), id), error);
  BOOST_REQUIRE_MESSAGE(content, error);
  BOOST_TEST(content->damage == "");
  return content->run;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_killed_process_loses_nothing_that_it_has_done) {
  const ScratchFolder folder;
  const Workflow workflow = made_workflow();
  const pid_t child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    std::string error;
    const auto journal = Journal::create(folder.path(), {}, error);
    if (!journal) ::_exit(1);
    ToldRun run(workflow, *journal);
    run.start(journal->run());
    run.visit("Build", "first");
    run.visit("Tell");
    run.visit("Build", "second");
    run.visit("Tell");
    run.enter("Build");
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  BOOST_TEST((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL));
  const RunRecord run = only_run(folder);
  BOOST_TEST(!run.status.has_value());
  BOOST_REQUIRE(run.steps.size() == 5U);
  BOOST_TEST(run.steps[2].end.outcome.standard_output == "second");
  BOOST_TEST((run.steps[4].status == Step::Status::running));
  // The end of the process has released the lock.
  std::string error;
  const auto resumed = resume_run(folder.path(), "last", "", {}, error);
  BOOST_REQUIRE_MESSAGE(resumed, error);
  BOOST_TEST(resumed->past.size() == 4U);
  BOOST_TEST(resumed->past.find({"", 5}) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_process_that_is_stopped_still_holds_its_journal) {
  const ScratchFolder folder;
  const Workflow workflow = made_workflow();
  const pid_t child = ::fork();
  BOOST_REQUIRE(child >= 0);
  if (child == 0) {
    std::string error;
    const auto journal = Journal::create(folder.path(), {}, error);
    if (!journal) ::_exit(1);
    ToldRun(workflow, *journal).start(journal->run());
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, WUNTRACED);
  BOOST_TEST(WIFSTOPPED(status));
  std::string error;
  BOOST_TEST(!resume_run(folder.path(), "last", "", {}, error).has_value());
  BOOST_TEST(error.find("PID " + std::to_string(child)) != std::string::npos);
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  BOOST_TEST(resume_run(folder.path(), "last", "", {}, error).has_value());
}

}  // namespace journal_process_test
