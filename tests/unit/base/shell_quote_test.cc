#include "base/shell_quote.h"

#include <boost/test/unit_test.hpp>

namespace shell_quote_test {

using wtool::shell_quoted;

BOOST_AUTO_TEST_SUITE(shell_quote)

BOOST_AUTO_TEST_CASE(every_character_stays_in_one_word_of_the_shell) {
  BOOST_TEST(shell_quoted("a b") == "'a b'");
  BOOST_TEST(shell_quoted("it's\n$(x)") == "'it'\\''s\n$(x)'");
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_an_empty_word) { BOOST_TEST(shell_quoted("") == "''"); }

BOOST_AUTO_TEST_SUITE_END()

}  // namespace shell_quote_test
