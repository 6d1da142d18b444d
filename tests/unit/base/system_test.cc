// base/environment.h, base/pidfd.h, base/timespec.h and base/wake_up.h: what the kernel reports.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "base/environment.h"
#include "base/pidfd.h"
#include "base/timespec.h"
#include "base/wake_up.h"

namespace system_test {

using namespace wtool;

BOOST_AUTO_TEST_SUITE(system)

BOOST_AUTO_TEST_CASE(the_machine_has_a_name) { BOOST_TEST(!host_name().empty()); }

BOOST_AUTO_TEST_CASE(the_end_of_a_process_is_seen) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const Descriptor process = open_process(child);
  BOOST_TEST_REQUIRE(static_cast<bool>(process));
  BOOST_TEST(!has_ended(process));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(has_ended(process));
  BOOST_TEST(!open_process(-1));
}

BOOST_AUTO_TEST_CASE(a_wake_up_is_readable_from_its_signal_until_it_is_cleared) {
  const WakeUp wake;
  BOOST_TEST_REQUIRE(static_cast<bool>(wake));
  const auto is_readable = [&] {
    pollfd watched{wake.descriptor(), POLLIN, 0};
    return ::poll(&watched, 1, 0) == 1;
  };
  wake.clear();  // does not wait
  BOOST_TEST(!is_readable());
  wake.signal();
  wake.signal();
  BOOST_TEST(is_readable());
  wake.clear();
  BOOST_TEST(!is_readable());
}

BOOST_AUTO_TEST_CASE(a_time_is_counted_in_nanoseconds) {
  BOOST_TEST(to_ns({3, 5}) == 3'000'000'005);
  BOOST_TEST(to_ns({-1, 999'999'999}) == -1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace system_test
