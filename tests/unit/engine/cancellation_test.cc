// engine/cancellation.h: a request makes the descriptor readable, and can only become stronger. If poll(2) fails, a
// wait still lasts as long as it should.
#include "engine/cancellation.h"

#include <poll.h>
#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <ctime>

namespace cancellation_test {

using wtool::engine::Cancellation;
using wtool::engine::Patience;
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

BOOST_AUTO_TEST_CASE(a_wait_that_the_system_refuses_lasts_as_long_and_takes_no_processor_time) {
  Cancellation never, other;
  rlimit before{};
  BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  const rlimit none{0, before.rlim_max};
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  pollfd refused{other.descriptor(), POLLIN, 0};
  const bool fails = ::poll(&refused, 1, 0) < 0;
  const std::clock_t began = std::clock();
  const auto waits = std::chrono::steady_clock::now();
  const bool came = Patience{{}, never}.await(other.descriptor(), POLLIN, std::chrono::milliseconds(500)) ||
                    wtool::engine::has_event(other.descriptor(), POLLIN, std::chrono::milliseconds(500));
  const auto waited = std::chrono::steady_clock::now() - waits;
  const double used = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
  BOOST_TEST(fails);
  BOOST_TEST(!came);
  BOOST_TEST((waited >= std::chrono::milliseconds(900)));
  BOOST_TEST(used < 0.25);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace cancellation_test
