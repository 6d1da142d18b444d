// engine/cancellation.h: a request makes the descriptor readable, and can only become stronger.
#include "engine/cancellation.h"

#include <poll.h>

#include <boost/test/unit_test.hpp>

namespace cancellation_test {

using wtool::engine::Cancellation;
using Mode = Cancellation::Mode;

namespace {

bool heard(const Cancellation& cancellation) {
  pollfd watched{cancellation.descriptor(), POLLIN, 0};
  return ::poll(&watched, 1, 0) == 1;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cancellation)

BOOST_AUTO_TEST_CASE(no_listener_is_called_before_a_request) {
  const Cancellation cancellation;
  BOOST_TEST(!heard(cancellation));
  BOOST_TEST((cancellation.mode() == Mode::none));
}

BOOST_AUTO_TEST_CASE(the_first_reason_is_kept_and_now_overrides_graceful) {
  Cancellation cancellation;
  cancellation.request(Mode::graceful, "first");
  BOOST_TEST(heard(cancellation));
  cancellation.acknowledge();
  BOOST_TEST(!heard(cancellation));
  cancellation.request(Mode::now, "second");
  BOOST_TEST(heard(cancellation));
  BOOST_TEST((cancellation.mode() == Mode::now));
  BOOST_TEST(cancellation.reason() == "first");
}

BOOST_AUTO_TEST_CASE(graceful_after_now_is_ignored) {
  Cancellation cancellation;
  cancellation.request(Mode::now, "now");
  cancellation.acknowledge();
  cancellation.request(Mode::graceful, "late");
  BOOST_TEST(!heard(cancellation));
  BOOST_TEST((cancellation.mode() == Mode::now));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cancellation_test
