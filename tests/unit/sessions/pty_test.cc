// A terminal by itself, as the run of its command calls it.
#include "sessions/pty.h"

#include <boost/test/unit_test.hpp>

using wtool::Pty;
using wtool::engine::Cancellation;

BOOST_AUTO_TEST_CASE(a_program_that_has_not_started_is_not_idle) {
  Pty pty("pty-1", "sh", {}, std::chrono::milliseconds(0));
  pty.terminal().look();
  BOOST_TEST((pty.cancellation().mode() == Cancellation::Mode::none));
  pty.terminal().started();
  pty.terminal().look();
  BOOST_TEST((pty.cancellation().mode() == Cancellation::Mode::graceful));
}
