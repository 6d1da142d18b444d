// policy/words.h: a line that it accepts means to the shell exactly the words that it returns.
#include "policy/words.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "support/program.h"

namespace words_test {

using wtool::policy::Obstacle;
using wtool::policy::parse;
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

// The differential test: random lines of the characters that are special to shells. /usr/bin/printf shows the words
// that /bin/sh made of the line.
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

std::string text_at(const std::string& line, const wtool::policy::Range& at) {
  return line.substr(at.begin, at.end - at.begin);
}

BOOST_AUTO_TEST_CASE(literal_lines_are_regenerated_with_every_word_in_quotes) {
  const std::pair<std::string, std::string> rows[] = {
      {"", ""},
      {"# nothing", ""},
      {"ls -la", "'ls' '-la'"},
      {"a;b && c||d|e\n! f", "'a'; 'b' && 'c' || 'd' | 'e'; ! 'f'"},
      {"a 'it'\\''s' \"\"", "'a' 'it'\\''s' ''"},
      {"cd x && ls", "cd -P -- 'x' && 'ls'"},
      {"cd -P 'a b'; cd; cd -L -- -x", "cd -P -- 'a b'; 'cd'; cd -P -- '-x'"},
      {"cd -e 'a b'; cd --; cd -", "'cd' '-e' 'a b'; 'cd' '--'; 'cd' '-'"},
      {"a 2>&1 > /dev/null <&- 1>|\"/dev/null\" b", "'a' 'b' 2>&1 >/dev/null <&- 1>|/dev/null"},
      {">/dev/null", ">/dev/null"},
      {"a <b 0< \"c d\" 2>&1 | e <'it'\\''s'", "'a' <'b' <'c d' 2>&1 | 'e' <'it'\\''s'"},
      {"'if' x; \\time y", "'if' 'x'; 'time' 'y'"},
      {"cat <<'E' | b; c\nx'y\nEND_0\nE\nd", "'cat' <<'END_1' | 'b'; 'c'; 'd'\nx'y\nEND_0\nEND_1\n"},
      {"cat <<E\nplain\nE", "'cat' <<'END_0'\nplain\nEND_0\n"},
      {"cat 0<<-\"E\"\n\t\ta\n\tE\n", "'cat' 0<<'END_0'\na\nEND_0\n"},
      {"cat <<E\nE\xC3\xA9\nA\xC3\xA9\nBND_0\nE", "'cat' <<'BND_1'\nE\xC3\xA9\nA\xC3\xA9\nBND_0\nBND_1\n"},
      {"cat <<E\nEe\n\xC3\xA9\n\nE", "'cat' <<'END_0'\nEe\n\xC3\xA9\n\nEND_0\n"},
      {"l\\\ns \\\n  -l", "'ls' '-l'"},
      {"git log @{u}.. 'a'{b}, x{y}..z", "'git' 'log' '@{u}..' 'a{b},' 'x{y}..z'"},
  };
  for (const auto& [line, expected] : rows) {
    const auto script = parse(line);
    BOOST_TEST(!script.obstacle.has_value(), line << ": " << script.obstacle.value_or(Obstacle{}).what);
    BOOST_TEST(wtool::policy::regenerate(script) == expected, line);
  }
}

// dash would run the command in the background, and read the words after /dev/null as a command of their own.
BOOST_AUTO_TEST_CASE(what_discards_all_output_is_settled_only_in_a_line_that_is_written_out_again) {
  for (const auto& [line, expected] : {std::pair("a &>/dev/null", "'a' >/dev/null 2>&1"),
                                       std::pair("a&>>\t/dev/null b && c", "'a' 'b' >/dev/null 2>&1 && 'c'"),
                                       std::pair("a 2&>/dev/null | b", "'a' '2' >/dev/null 2>&1 | 'b'")}) {
    const auto script = parse(line, wtool::policy::Shell::any, true);
    BOOST_TEST(!script.obstacle.has_value(), line);
    BOOST_TEST(wtool::policy::regenerate(script) == expected, line);
    const auto as_written = parse(line);
    BOOST_TEST(as_written.obstacle.has_value(), line);
    BOOST_TEST(as_written.commands.size() > script.commands.size(), line);
  }
  for (const char* line : {"a &> b", "a &>/dev/nullx", "a &>/dev/null/../b", "a &>'/dev/null'", "a &>>>/dev/null"}) {
    BOOST_TEST(parse(line, wtool::policy::Shell::any, true).obstacle.has_value(), line);
  }
}

BOOST_AUTO_TEST_CASE(the_first_obstacle_is_named_with_its_place) {
  const struct {
    std::string line, what, at;
  } rows[] = {
      {"a $(b $x) $y", "a command substitution", "$(b $x)"},
      {"a `b`", "a command substitution", "`b`"},
      {"a $x", "a parameter expansion", "$x"},
      {"a \"${x}\"", "a parameter expansion", "${x}"},
      {"a $1", "a parameter expansion", "$1"},
      {"a $((1))", "an arithmetic expansion", "$((1))"},
      {"a *.c", "the glob character *", "*"},
      {"a b?", "the glob character ?", "?"},
      {"a [b]", "the glob character [", "[b]"},
      {"a ~/b", "a tilde", "~"},
      {"a b=~", "a tilde", "~"},
      {"a x{b,c}", "a brace expansion", "x{b,c}"},
      {"a {1..2}", "a brace expansion", "{1..2}"},
      {"a {b}{c,d}", "a brace expansion", "{b}{c,d}"},
      {"a {{b},c}", "a brace expansion", "{{b},c}"},
      {"a {b,'}'c}", "a brace expansion", "{b,'}'c}"},
      {"A=1 b", "an assignment", "A=1"},
      {"a=b", "an assignment", "a=b"},
      {"=a b", "an unquoted = in a program's name", "="},
      {"a & b", "a command in the background", "&"},
      {"a > b", "a redirection to or from a file", "> b"},
      {"a < $x", "a redirection to or from a file", "< $x"},
      {"a < b*", "a redirection to or from a file", "< b*"},
      {"a < /dev/tcp/b/1", "a redirection to or from a file", "< /dev/tcp/b/1"},
      {"a < '/dev/'\"stdin\"", "a redirection to or from a file", "< '/dev/'\"stdin\""},
      {"a 3< b", "a redirection to or from a file", "3< b"},
      {"a <> b", "a redirection to or from a file", "<> b"},
      {"a >>$x", "a redirection to or from a file", ">>$x"},
      {"a 2>&1>&2 b", "a number right before a redirection", "2>&1"},
      {"a 2>& 1\\\n<c", "a number right before a redirection", "2>& 1\\\n"},
      {"a <<1>c\nb\n1", "a number right before a redirection", "1"},
      {"a >&b", "a redirection to something other than a descriptor of one digit", ">&b"},
      {"a <<<b", "a here-string", "<<"},
      {"a <<E\n$x\nE\n", "a here-document whose delimiter is not quoted, with $, ` or \\ in it", "$x\nE\n"},
      {"a <<'E' <<'F'\nE\nF\n", "a second here-document", "'F'"},
      {"a <<'E'\nb", "a here-document without its end", "b"},
      {"a <<''\n\n", "a here-document with an unusual delimiter", "''"},
      {"(a)", "a subshell", "("},
      {"{ a; }", "a group of commands", "{"},
      {"if a; then b; fi", "the keyword if", "if"},
      {"f() { a; }", "a function definition", "f("},
      {"2>&1 if x", "a reserved word where the shell does not treat it as one", "i"},
      {"ls -la\r", "the character U+000D outside quotes", "\r"},
      {"ls\xC2\xA0-la", "the character U+00A0 outside quotes", "\xC2\xA0"},
      {"ls \xE2\x80\x8B", "the character U+200B outside quotes", "\xE2\x80\x8B"},
      {"ls \xE2\x80\xAE", "the character U+202E outside quotes", "\xE2\x80\xAE"},
      {"ls \xEF\xBB\xBF", "the character U+FEFF outside quotes", "\xEF\xBB\xBF"},
      {"ls \xF3\xA0\x80\x81", "the character U+E0001 outside quotes", "\xF3\xA0\x80\x81"},
      {"ls \\\x01", "the character U+0001 outside quotes", "\x01"},
      {"ls \x80", "a byte outside quotes that is not UTF-8", "\x80"},
      {"ls \xE2\x82", "a byte outside quotes that is not UTF-8", "\xE2"},
      {"ls \xED\xA0\x80", "a byte outside quotes that is not UTF-8", "\xED"},
      {"ls \\", "a backslash with nothing after it", "\\"},
  };
  for (const auto& row : rows) {
    const auto script = parse(row.line);
    BOOST_TEST_REQUIRE(script.obstacle.has_value(), row.line);
    BOOST_TEST(!script.error.has_value(), row.line);
    BOOST_TEST(script.obstacle->what == row.what, row.line);
    BOOST_TEST(text_at(row.line, script.obstacle->at) == row.at, row.line);
  }
}

BOOST_AUTO_TEST_CASE(malformed_shell_text_is_an_error) {
  const std::pair<std::string, std::string> rows[] = {
      {std::string("a\0b", 3), "a zero byte"},
      {"a 'b", "a single quote that is never closed"},
      {"a \"b", "a double quote that is never closed"},
      {"a `b", "a backquote that is never closed"},
      {"a $'b", "a single quote that is never closed"},
      {"a ${b", "a ${ without its }"},
      {"a ${ b; }", "a ${ with commands in it, which shells read differently"},
      {"a $(b", "a command substitution without its )"},
      {"a $((1", "a ( without its )"},
      {"ls | | wc", "an unexpected |"},
      {"git log &&& rm", "an unexpected &"},
      {"a &&", "the end of the line where a command must follow"},
      {"a\n|\nb", "an unexpected |"},
      {"a )", "an unexpected )"},
      {"(a", "a ( without its )"},
      {"()", "an unexpected )"},
      {"(a) b", "an unexpected b"},
      {"; a", "an unexpected ;"},
      {"a ;; b", "an unexpected ;;"},
      {"} a", "an unexpected }"},
      {"{ a", "a { without its }"},
      {"then a", "an unexpected then"},
      {"if a; fi", "an if without its then"},
      {"if a; then b", "an if without its fi"},
      {"while a; b", "a loop without its do"},
      {"while a; do b", "a loop without its end"},
      {"for", "a for without its variable"},
      {"for ((a", "a for without its variable"},
      {"case", "a case without its word"},
      {"case a b", "a case without its in"},
      {"case a in b", "a pattern of a case without its )"},
      {"case a in ;;", "a case without its pattern, or without its esac"},
      {"case a in b) c", "a case without its esac"},
      {"case a in b) c; ; esac", "an unexpected ;"},
      {"a (b)", "an unexpected ("},
      {"a >", "a redirection without its target"},
      {"a <<", "a here-document without its delimiter"},
      {"a <<$(b)\n", "a here-document whose delimiter shells read differently"},
      {"a <<\"b\n", "a double quote that is never closed"},
      {"a <<EE\nE\\\nE\n", "the end of a here-document in several lines, which shells read differently"},
      {"a $(b <<E)\nE\n", "a here-document that begins after the substitution that it belongs to"},
      {"a | ! b", "an unexpected !"},
  };
  for (const auto& [line, what] : rows) {
    const auto script = parse(line);
    BOOST_TEST(script.obstacle.has_value(), line);
    BOOST_TEST(script.error.value_or(Obstacle{}).what == what, line);
    BOOST_TEST(!plain_command(line).has_value(), line);
  }
}

BOOST_AUTO_TEST_CASE(what_nests_too_deeply_is_an_error) {
  const auto nested = [](int depth, const std::string& begin, const std::string& end) {
    std::string line;
    for (int i = 0; i < depth; ++i) line += begin;
    line += "a";
    for (int i = 0; i < depth; ++i) line += end;
    return line;
  };
  const std::pair<std::string, std::string> rows[] = {
      {"$(", ")"},        {"(", " )"},   {"{ ", "; }"},          {"${a:-", "}"},
      {"\"${a:-", "}\""}, {"$((", "))"}, {"if ", "; then b; fi"}};
  for (const auto& [begin, end] : rows) {
    BOOST_TEST(!parse(nested(30, begin, end)).error.has_value(), begin);
    const auto script = parse(nested(200, begin, end));
    BOOST_TEST_REQUIRE(script.error.has_value(), begin);
  }
}

// Text that may or may not be arithmetic is read again. In total, that must not take more than linear time.
BOOST_AUTO_TEST_CASE(what_must_be_read_too_often_is_an_error) {
  std::string line;
  for (int i = 0; i < 30; ++i) line += "((a;";
  line += std::string(100'000, 'a');
  BOOST_TEST(parse(line).error.has_value());
  BOOST_TEST(parse("((a) ; ((b) ; (c) ) )").commands.size() == 3);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace words_test
