// How tests look for processes. If a look misses one, a test finds nothing left where something is.
#include "support/processes.h"

#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "support/program.h"

namespace {

using namespace wtool::test;

bool is_alive(pid_t pid) {
  const char state = state_of(pid);
  return state != 0 && state != 'Z' && state != 'X';
}

}  // namespace

BOOST_AUTO_TEST_SUITE(processes)

BOOST_AUTO_TEST_CASE(a_process_that_executes_one_program_after_another_is_found_at_each_look) {
  const Mark mark;
  // Nearly always in the middle of execve: there is little else that it does.
  const std::string again = "[ $LEFT -gt 0 ] || exit 0; LEFT=$((LEFT-1)) exec /bin/sh -c \"$AGAIN\"";
  ProgramOptions options;
  options.set = {{"WTOOL_TEST_MARK", mark.text()}, {"AGAIN", again}, {"LEFT", "3000"}};
  Program program({"/bin/sh", "-c", again}, Program::On::pipes, options);
  BOOST_REQUIRE(wait_until([&] { return !mark.bearers().empty(); }, std::chrono::seconds(20)));
  std::size_t looks = 0, missed = 0;
  while (true) {
    const std::vector<pid_t> found = mark.bearers();
    if (!is_alive(program.pid())) break;  // may have ended during this look
    ++looks;
    missed += std::count(found.begin(), found.end(), program.pid()) == 0;
  }
  BOOST_TEST_MESSAGE(looks << " looks");
  BOOST_TEST(looks > 10U);
  BOOST_TEST(missed == 0U);
  BOOST_TEST(program.wait().exit_code == 0);
}

BOOST_AUTO_TEST_SUITE_END()
