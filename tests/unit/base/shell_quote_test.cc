#include "base/shell_quote.h"

#include <boost/test/unit_test.hpp>
#include <string>

namespace shell_quote_test {

using wtool::shell_quoted;
using wtool::shell_word;

BOOST_AUTO_TEST_SUITE(shell_quote)

BOOST_AUTO_TEST_CASE(every_character_stays_in_one_word_of_the_shell) {
  BOOST_TEST(shell_quoted("a b") == "'a b'");
  BOOST_TEST(shell_quoted("it's\n$(x)") == "'it'\\''s\n$(x)'");
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_an_empty_word) { BOOST_TEST(shell_quoted("") == "''"); }

BOOST_AUTO_TEST_CASE(a_word_is_quoted_only_if_a_shell_would_read_it_differently) {
  for (const char* plain : {"who=x", "./a-b_c/d.md", "user@host:22", "100%", "caf\xc3\xa9"}) {
    BOOST_TEST(shell_word(plain) == plain);
  }
  for (const std::string special : {"a b", "a;b", "$x", "~", "#a", "*.md", "{a,b}", "!x", "a\nb", "a\\b", "\"", ""}) {
    BOOST_TEST(shell_word(special) == shell_quoted(special));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace shell_quote_test
