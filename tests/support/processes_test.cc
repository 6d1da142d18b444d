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
  constexpr int looks = 30;
  const Mark mark;
  const ScratchFolder folder;
  const std::string over = folder.path() + "/over";
  // Nearly always in the middle of execve: there is little else that it does.
  const std::string again = "[ ! -e \"$OVER\" ] || exit 0; exec /bin/sh -c \"$AGAIN\"";
  ProgramOptions options;
  options.set = {{"WTOOL_TEST_MARK", mark.text()}, {"AGAIN", again}, {"OVER", over}};
  Program program({"/bin/sh", "-c", again}, Program::On::pipes, options);
  BOOST_REQUIRE(wait_until([&] { return !mark.bearers().empty(); }, std::chrono::seconds(20)));
  int missed = 0;
  for (int look = 0; look < looks; ++look) {
    const std::vector<pid_t> found = mark.bearers();
    missed += std::count(found.begin(), found.end(), program.pid()) == 0 ? 1 : 0;
  }
  BOOST_TEST(is_alive(program.pid()));
  folder.file("over", "");
  BOOST_TEST(missed == 0);
  BOOST_TEST(program.wait().exit_code == 0);
}

BOOST_AUTO_TEST_SUITE_END()
