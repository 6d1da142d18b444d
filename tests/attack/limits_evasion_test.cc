// Commands that exceed their limits where the monitor might not look, and innocent commands that seem to exceed them.
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(limits_evasion_test)

using namespace wtool::test;

namespace {

struct Limited : ShellTool {
  Answer run(const Json& limits, const std::string& command) {
    const ToolUnderTest limited(plugin, Json{{"limits", limits}});
    return limited.run(marked(command), {.deadline_ms = 60'000});
  }
  void check_exhausted(const Answer& answer, const std::string& limit) const {
    BOOST_TEST_CONTEXT(answer.raw) {
      BOOST_TEST(answer.code() == "resource_exhausted");
      BOOST_TEST((answer.metadata().at("limit").at("name") == Json(limit)));
      BOOST_TEST(mark.bearers().empty(), mark.description());
    }
  }
};

const std::string use_memory = WTOOL_ATTACKS "/use_memory ";
const std::string many = WTOOL_ATTACKS "/many_without_main_thread ";

}  // namespace

BOOST_FIXTURE_TEST_CASE(memory_of_a_process_whose_main_thread_has_ended_counts, Limited) {
  check_exhausted(run({{"memory_bytes", 100'000'000}}, use_memory + "without-main-thread 300"), "memory_bytes");
}

BOOST_FIXTURE_TEST_CASE(processes_whose_main_threads_have_ended_count, Limited) {
  check_exhausted(run({{"processes", 10}}, many + "30"), "processes");
}

BOOST_FIXTURE_TEST_CASE(daemons_whose_main_threads_have_ended_are_reported, Limited) {
  const Answer answer = run(Json::object(), many + "3 daemon");
  BOOST_TEST_CONTEXT(answer.raw) {
    BOOST_TEST(!answer.is_error());
    BOOST_TEST((answer.metadata().at("background_processes_ended") == Json(3)));
  }
  BOOST_TEST(mark.bearers().empty(), mark.description());
}

BOOST_FIXTURE_TEST_CASE(shared_memory_of_a_process_that_hides_it_counts, Limited) {
  check_exhausted(run({{"memory_bytes", 100'000'000}}, use_memory + "hidden-shared 300"), "memory_bytes");
}

// Between vfork and exec, child and parent share one memory.
BOOST_FIXTURE_TEST_CASE(memory_is_not_counted_twice_while_a_child_is_started, Limited) {
  for (int i = 0; i < repeats(10); ++i) {
    const Answer answer = run({{"memory_bytes", 100'000'000}}, use_memory + "vfork 60 400");
    BOOST_TEST(!answer.is_error(), answer.raw);
  }
}

boost::test_tools::assertion_result kcmp_works(boost::unit_test::test_unit_id) {
  return ::syscall(SYS_kcmp, ::getpid(), ::getpid(), KCMP_VM, 0UL, 0UL) == 0;
}

// If the thread that waits for the child is not the main one, only kcmp shows that child and parent share one memory.
// The filter of a sandbox refuses kcmp, so the custodian must not be in the filter.
BOOST_FIXTURE_TEST_CASE(memory_is_not_counted_twice_in_a_sandbox_either, Limited,
                        *boost::unit_test::precondition(kcmp_works)) {
  const ToolUnderTest boxed(plugin, Json{{"limits", {{"memory_bytes", 100'000'000}}},
                                         {"sandbox", {{"write", {"/tmp"}}, {"protect", "none"}}}});
  const Answer answer = boxed.run(marked(use_memory + "vfork-in-thread 60 50"), {.deadline_ms = 60'000});
  BOOST_TEST(!answer.is_error(), answer.raw);
}

BOOST_AUTO_TEST_SUITE_END()
