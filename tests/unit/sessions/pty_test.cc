// A terminal by itself: the test makes the calls that the run of its command would make.
#include "sessions/pty.h"

#include <boost/test/unit_test.hpp>
#include <new>

using wtool::Pty;
using wtool::PtyEnd;
using wtool::engine::Cancellation;

BOOST_AUTO_TEST_CASE(a_program_that_has_not_started_is_not_idle) {
  Pty pty("pty-1", "sh", {}, std::chrono::milliseconds(0));
  pty.terminal().look();
  BOOST_TEST((pty.cancellation().mode() == Cancellation::Mode::none));
  pty.terminal().started();
  pty.terminal().look();
  BOOST_TEST((pty.cancellation().mode() == Cancellation::Mode::graceful));
}

BOOST_AUTO_TEST_CASE(a_wait_for_the_end_of_a_terminal_that_could_not_be_run_says_so) {
  wtool::Ptys all;
  const auto pty = all.create("sh", {}, std::chrono::milliseconds(1000), 1);
  BOOST_REQUIRE(pty);
  pty->request_end(Cancellation::Mode::graceful, "pty_stop");
  pty->fail();
  BOOST_TEST(pty->wait_end().how == "not started");
  BOOST_TEST(pty->wait_for_start());
  all.end();
  BOOST_TEST(all.all().empty());
}

BOOST_AUTO_TEST_CASE(a_run_without_memory_ends_its_terminal) {
  Pty pty("pty-1", "sh", {}, std::chrono::milliseconds(1000));
  pty.run([]() -> PtyEnd { throw std::bad_alloc(); });
  BOOST_TEST(pty.wait_end().how == "it was lost");
}
