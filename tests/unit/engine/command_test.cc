// engine/command.h: where a program is looked for.
#include "engine/command.h"

#include <boost/test/unit_test.hpp>

namespace command_test {

using wtool::engine::candidate_paths;
using Paths = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(command)

BOOST_AUTO_TEST_CASE(a_name_is_tried_in_each_part_of_path_in_order) {
  BOOST_TEST(candidate_paths("ls", "/usr/bin:/bin") == (Paths{"/usr/bin/ls", "/bin/ls"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_name_with_a_slash_is_itself) {
  BOOST_TEST(candidate_paths("./ls", "/usr/bin") == Paths{"./ls"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_empty_part_is_the_working_directory) {
  BOOST_TEST(candidate_paths("ls", ":/bin/:") == (Paths{"ls", "/bin//ls", "ls"}), boost::test_tools::per_element());
  BOOST_TEST(candidate_paths("ls", "") == Paths{"ls"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace command_test
