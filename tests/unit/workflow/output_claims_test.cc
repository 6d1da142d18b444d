// The claims of steps on their outputs, within one run.
#include "runner/output_claims.h"

#include <boost/test/unit_test.hpp>
#include <thread>

#include "base/stop.h"

namespace output_claims_test {

using wtool::Stop;
using wtool::StopHow;
using wtool::host::runner::OutputClaims;

BOOST_AUTO_TEST_SUITE(output_claims)

BOOST_AUTO_TEST_CASE(a_stop_ends_the_wait_for_outputs_and_no_result_is_kept) {
  OutputClaims claims;
  Stop first_stop, second_stop;
  OutputClaims::Held first, second;
  first.take(claims, {"'A'", {"/project", {"out"}}, true}, first_stop);
  std::thread waits([&] { second.take(claims, {"'B'", {"/project", {"out"}}, true}, second_stop); });
  second_stop.request(StopHow::graceful, "enough");
  waits.join();
  BOOST_TEST(first.begin_keeping() == "its output 'out' is also an output of 'B', which ran at the same time");
  BOOST_TEST(second.begin_keeping() == "its output 'out' is also an output of 'A', which ran at the same time");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace output_claims_test
