// policy/words.h: a line that it accepts means to the shell exactly the words that it returns.
#include "policy/words.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "support/program.h"

using wtool::policy::plain_command;
using Words = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(words)

BOOST_AUTO_TEST_CASE(lines_of_literal_words_are_split) {
  const std::pair<std::string, Words> rows[] = {
      {"ls -la", {"ls", "-la"}},
      {"  git\tlog  ", {"git", "log"}},
      {"grep -E 'a|b $x' \"f 1\"", {"grep", "-E", "a|b $x", "f 1"}},
      {"ec''ho\" \"x a", {"echo x", "a"}},
      {"prog '' \"\"", {"prog", "", ""}},
      {"make CC=gcc -j2", {"make", "CC=gcc", "-j2"}},
      {"cat Übung/漢字", {"cat", "Übung/漢字"}},
      {"git commit -m 'two\nlines'", {"git", "commit", "-m", "two\nlines"}},
      {"./run", {"./run"}},
      {"grep a\\.b \"c\\\"d\" \"e\\f\"", {"grep", "a.b", "c\"d", "e\\f"}},
      {"make # all of it", {"make"}},
      {"find . ! -name x ^b {} HEAD~2 stash@{0} foo$ [",
       {"find", ".", "!", "-name", "x", "^b", "{}", "HEAD~2", "stash@{0}", "foo$", "["}},
  };
  for (const auto& [line, expected] : rows) {
    const auto words = plain_command(line);
    BOOST_TEST_REQUIRE(words.has_value(), line);
    BOOST_TEST(*words == expected, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(everything_that_the_shell_must_see_goes_to_the_shell) {
  for (const std::string line :
       {"",        "   ",     "ls | wc", "a && b", "a; b",  "a & b",      "a > f",   "a < f",    "ls *.c",  "ls ?",
        "ls [a]",  "echo hi", "cd x",    "if x",   "{ a",   "! a",        "a $x",    "a \"$x\"", "a `b`",   "a \"`b`\"",
        "a $(b)",  "A=1 a",   "A=1",     "a=b",    "a 'b",  "a \"b",      "~/x",     "a ~",      "a\nb",    "a\r",
        "a {b,c}", "(a)",     "'' a",    "true",   "[ a ]", "export A=1", "exec ls", "time ls",  "\"if\" x"}) {
    BOOST_TEST(!plain_command(line).has_value(), line);
  }
}

// The differential test: lines at random, of the characters in which shells are interesting. /usr/bin/printf shows the
// words that /bin/sh made of the line.
BOOST_AUTO_TEST_CASE(accepted_lines_mean_the_same_to_the_shell) {
  std::mt19937 random(20240607);
  const std::string alphabet = "ab '\"'\" \t=-/.,:+@%_$\\`*~!#&|;()<>{}[]?^\xC3\xA9\n";
  int accepted = 0;
  for (int round = 0; round < 40'000 && accepted < 400; ++round) {
    std::string rest;
    for (auto left = random() % 14; left > 0; --left)
      rest.push_back(alphabet[random() % (round % 2 == 0 ? 19 : alphabet.size())]);
    const std::string line = "/usr/bin/printf '%s\\0' " + rest;
    const auto words = plain_command(line);
    if (!words || words->size() < 3) continue;
    ++accepted;
    std::string expected;
    for (std::size_t i = 2; i < words->size(); ++i) expected += (*words)[i] + '\0';
    const auto shell = wtool::test::run({"/bin/sh", "-c", line});
    BOOST_TEST_REQUIRE(shell.out == expected, line);
  }
  BOOST_TEST(accepted == 400);
}

BOOST_AUTO_TEST_SUITE_END()
