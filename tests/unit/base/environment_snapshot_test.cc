// base/environment_snapshot.h
#include "base/environment_snapshot.h"

#include <boost/test/unit_test.hpp>
#include <string>

#include "support/host_variable.h"

namespace environment_snapshot_test {

using wtool::latest_environment;
using wtool::snapshot_environment;
using wtool::test::HostVariable;

BOOST_AUTO_TEST_SUITE(environment_snapshot)

BOOST_AUTO_TEST_CASE(a_snapshot_stays_as_it_was_when_the_environment_changes) {
  const HostVariable set("WTOOL_TEST_SNAPSHOT", "before");
  const auto snapshot = snapshot_environment();
  BOOST_TEST(snapshot->is_current());
  const HostVariable changed("WTOOL_TEST_SNAPSHOT", "after");
  BOOST_TEST(!snapshot->is_current());
  BOOST_TEST(snapshot->find("WTOOL_TEST_SNAPSHOT") == std::string("before"));
  BOOST_TEST(snapshot_environment()->find("WTOOL_TEST_SNAPSHOT") == std::string("after"));
  BOOST_TEST(latest_environment()->find("WTOOL_TEST_SNAPSHOT") == std::string("after"));
}

BOOST_AUTO_TEST_CASE(variables_that_are_added_or_removed_make_a_new_snapshot) {
  const auto before = snapshot_environment();
  BOOST_TEST(snapshot_environment() == before);
  {
    const HostVariable added("WTOOL_TEST_SNAPSHOT", "");
    const auto after = snapshot_environment();
    BOOST_TEST(after != before);
    BOOST_TEST(after->find("WTOOL_TEST_SNAPSHOT") == std::string());
  }
  BOOST_TEST((snapshot_environment()->find("WTOOL_TEST_SNAPSHOT") == nullptr));
}

BOOST_AUTO_TEST_CASE(a_variable_is_found_by_its_whole_name) {
  const HostVariable set("WTOOL_TEST_SNAPSHOT", "value");
  const auto snapshot = snapshot_environment();
  BOOST_TEST((snapshot->find("WTOOL_TEST_SNAP") == nullptr));
  BOOST_TEST((snapshot->find("WTOOL_TEST_SNAPSHOT=value") == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace environment_snapshot_test
