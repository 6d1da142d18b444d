// base/time_text.h
#include "base/time_text.h"

#include <time.h>

#include <boost/test/unit_test.hpp>

#include "support/host_variable.h"

namespace time_text_test {

using std::chrono::milliseconds;
using std::chrono::system_clock;

BOOST_AUTO_TEST_SUITE(time_text)

BOOST_AUTO_TEST_CASE(a_time_is_written_in_utc_with_milliseconds) {
  BOOST_TEST(wtool::iso_time(system_clock::time_point(milliseconds(1767323045678))) == "2026-01-02T03:04:05.678Z");
  BOOST_TEST(wtool::iso_time(system_clock::time_point(milliseconds(1767323045000))) == "2026-01-02T03:04:05.000Z");
}

BOOST_AUTO_TEST_CASE(a_time_before_1970_counts_its_milliseconds_upwards) {
  BOOST_TEST(wtool::iso_time(system_clock::time_point(milliseconds(-1))) == "1969-12-31T23:59:59.999Z");
}

BOOST_AUTO_TEST_CASE(a_format_is_that_of_strftime) {
  const system_clock::time_point time(milliseconds(1767323045678));
  BOOST_TEST(wtool::utc_text(time, "%Y%m%dT%H%M%SZ") == "20260102T030405Z");
}

BOOST_AUTO_TEST_CASE(a_local_time_is_that_of_the_zone) {
  const wtool::test::HostVariable zone("TZ", "TST-2");
  ::tzset();
  const system_clock::time_point time(milliseconds(1767323045678));
  BOOST_TEST(wtool::local_text(time, "%H:%M:%S %Z") == "05:04:05 TST");
  BOOST_TEST(wtool::utc_text(time, "%H:%M:%S") == "03:04:05");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace time_text_test
