// base/edit_distance.h: "did you mean ...?"
#include "base/edit_distance.h"

#include <boost/test/unit_test.hpp>

namespace edit_distance_test {

BOOST_AUTO_TEST_SUITE(edit_distance)

BOOST_AUTO_TEST_CASE(the_nearest_name_is_suggested_and_a_far_one_is_not) {
  const std::vector<std::string> names{"shell_execute", "echo", "ls"};
  BOOST_TEST(wtool::nearest("shell_exceute", names) == "shell_execute");
  BOOST_TEST(wtool::nearest("ehco", names) == "echo");
  BOOST_TEST(wtool::nearest("zzzz", names).empty());
  BOOST_TEST(wtool::nearest(std::string(1 << 20, 'e'), names).empty());
  BOOST_TEST(wtool::nearest("", names).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace edit_distance_test
