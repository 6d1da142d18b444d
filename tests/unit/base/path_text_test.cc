// base/paths.h: which folder contains which path.
#include "base/paths.h"

#include <boost/test/unit_test.hpp>

namespace path_text_test {

using wtool::is_within;

BOOST_AUTO_TEST_SUITE(path_text)

BOOST_AUTO_TEST_CASE(a_folder_contains_itself_and_what_is_below_it_by_component) {
  BOOST_TEST(is_within("/a/b", "/a/b"));
  BOOST_TEST(is_within("/a/b/c", "/a/b"));
  BOOST_TEST(!is_within("/a/bc", "/a/b"));
  BOOST_TEST(!is_within("/a", "/a/b"));
  BOOST_TEST(is_within("/a", "/"));
  BOOST_TEST(is_within("/", "/"));
}

BOOST_AUTO_TEST_CASE(a_relative_path_is_in_no_folder) {
  BOOST_TEST(!is_within("a", "/"));
  BOOST_TEST(!is_within("", "/"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace path_text_test
