// base/edit_distance.h: the suggestion "did you mean ...?", and the list of existing names.
#include "base/edit_distance.h"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace edit_distance_test {

BOOST_AUTO_TEST_SUITE(edit_distance)

BOOST_AUTO_TEST_CASE(the_nearest_name_is_suggested_and_a_far_one_is_not) {
  const std::vector<std::string> names{"shell_execute", "echo", "ls"};
  BOOST_TEST(wtool::did_you_mean("shell_exceute", names) == "; did you mean 'shell_execute'?");
  BOOST_TEST(wtool::did_you_mean("ehco", names) == "; did you mean 'echo'?");
  BOOST_TEST(wtool::did_you_mean("zzzz", names).empty());
  // Names that differ only in case are the same word, however short they are.
  BOOST_TEST(wtool::did_you_mean("db", {"Build", "DB"}) == "; did you mean 'DB'?");
  BOOST_TEST(wtool::did_you_mean("b", {"B"}) == "; did you mean 'B'?");
  BOOST_TEST(wtool::did_you_mean(std::string(1 << 20, 'e'), names).empty());
  BOOST_TEST(wtool::did_you_mean("", names).empty());
}

BOOST_AUTO_TEST_CASE(a_question_names_the_nearest_name_and_can_be_read_back) {
  const std::vector<std::string> names{"shell_execute", "echo", "ls"};
  BOOST_TEST(wtool::did_you_mean("ehco", names) == "; did you mean 'echo'?");
  BOOST_TEST(wtool::did_you_mean("ehco", names, "s/") == "; did you mean 's/echo'?");
  BOOST_TEST(wtool::did_you_mean("zzzz", names) == "");
  BOOST_TEST(wtool::did_you_mean("sl", names) == "; did you mean 'ls'?");
  BOOST_TEST(wtool::did_you_mean("ab", {"ca"}) == "");      // only a letter has moved, and another was replaced
  BOOST_TEST(wtool::did_you_mean("s", {"x", "ls"}) == "");  // a single letter is similar to every other one
  BOOST_TEST(wtool::did_you_mean("A1", {"A"}) == "");
  BOOST_TEST(wtool::did_you_mean("echo", names) == "");  // the name itself is no answer
  BOOST_TEST(wtool::did_you_mean(std::string(129, 'e'), {std::string(128, 'e')}) == "");
  BOOST_TEST(wtool::suggested_in("there is no 'ehco'; did you mean 'echo'? The tools are echo") == "echo");
  BOOST_TEST(wtool::suggested_in("there is no 'ehco'; the tools are echo") == "");
}

BOOST_AUTO_TEST_CASE(a_clause_after_a_question_is_a_sentence) {
  BOOST_TEST(wtool::question_then("; did you mean 'a'?", "the names are a, b") ==
             "; did you mean 'a'? The names are a, b");
  BOOST_TEST(wtool::question_then("; did you mean 'a'?", "`wtool runs` lists them") ==
             "; did you mean 'a'? `wtool runs` lists them");
  BOOST_TEST(wtool::question_then("", "the names are a, b") == "; the names are a, b");
  BOOST_TEST(wtool::question_then("; did you mean 'a'?", "") == "; did you mean 'a'?");
  BOOST_TEST(wtool::question_then("", "") == "");
}

BOOST_AUTO_TEST_CASE(a_message_about_an_unknown_name_ends_with_the_known_ones) {
  const std::vector<std::string> names{"upcase", "downcase"};
  BOOST_TEST(wtool::known_names("upcas", "filters", names) ==
             "; did you mean 'upcase'? The filters are upcase, downcase");
  BOOST_TEST(wtool::known_names("zzzz", "filters", names) == "; the filters are upcase, downcase");
  BOOST_TEST(wtool::known_names("upcas", "filters", {}) == "; there are no filters");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace edit_distance_test
