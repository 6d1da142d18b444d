// policy/environment.h: names, and what a command's environment is made of.
#include "policy/environment.h"

#include <boost/test/unit_test.hpp>

using namespace wtool::policy;
using Texts = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(environment)

BOOST_AUTO_TEST_CASE(names_are_those_that_a_shell_can_name) {
  for (const char* name : {"A", "_", "PATH", "a1", "_9"}) BOOST_TEST(is_variable_name(name), name);
  for (const char* name : {"", "1A", "A-B", "A.B", "A B", "A=", "É"}) BOOST_TEST(!is_variable_name(name), name);
}

BOOST_AUTO_TEST_CASE(additions_replace_and_follow_what_is_inherited) {
  const char* inherited[] = {"A=1", "B=2", "A=3", "PWD=/old", "OLDPWD=/older", "junk", "C==", nullptr};
  const Texts composed = compose_environment(inherited, {{"B", "new"}, {"D", ""}}, "/here");
  BOOST_TEST(composed == (Texts{"A=1", "C==", "B=new", "D=", "PWD=/here"}), boost::test_tools::per_element());
  BOOST_TEST(find_variable(composed, "C", "?") == "=");
  BOOST_TEST(find_variable(composed, "D", "?") == "");
  BOOST_TEST(find_variable(composed, "E", "?") == "?");
}

BOOST_AUTO_TEST_CASE(a_directory_that_the_caller_claims_does_not_stand) {
  const char* inherited[] = {nullptr};
  BOOST_TEST(compose_environment(inherited, {{"PWD", "/claimed"}}, "/here") == Texts{"PWD=/here"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
