// The parts of a command text that only a shell would understand are named, with their place. Quotes are read as a
// shell reads them.
#include "policy/operators.h"

#include <boost/test/unit_test.hpp>

namespace operators_test {

using namespace wtool::policy;
using Words = std::vector<std::string>;

namespace {

struct Row {
  std::string_view text;
  std::string_view what;
  std::size_t begin;
};

void check_construct(const std::optional<Construct>& found, const Row& row) {
  BOOST_TEST_CONTEXT(row.text) {
    BOOST_REQUIRE(found.has_value());
    BOOST_TEST(found->what == row.what);
    BOOST_TEST(found->at.begin == row.begin);
    BOOST_TEST(found->at.end > found->at.begin);
    BOOST_TEST(found->at.end <= row.text.size());
  }
}

std::optional<Construct> refused(std::string_view text) {
  auto read = only_words(text);
  if (auto* construct = std::get_if<Construct>(&read)) return *construct;
  return std::nullopt;
}

constexpr Row operators[] = {
    {"ls;id", "the operator ;", 2},
    {"ls;", "the operator ;", 2},
    {"ls ;; id", "the operator ;;", 3},
    {"ls && id", "the operator &&", 3},
    {"ls || id", "the operator ||", 3},
    {"ls|id", "the operator |", 2},
    {"ls |& id", "the operator |&", 3},
    {"| ls", "the operator |", 0},
    {"ls &", "the operator &", 3},
    {"ls > f", "the redirection >", 3},
    {"ls >> f", "the redirection >>", 3},
    {"ls >| f", "the redirection >|", 3},
    {"ls 2>&1", "the redirection 2>&", 3},
    {"ls 12> f", "the redirection 12>", 3},
    {"ls a2>f", "the redirection >", 5},
    {"ls &> f", "the redirection &>", 3},
    {"ls &>> f", "the redirection &>>", 3},
    {"cat < f", "the redirection <", 4},
    {"cat <> f", "the redirection <>", 4},
    {"cat <<END", "the redirection <<", 4},
    {"cat <<END\na\nEND\n", "the redirection <<", 4},
    {"cat <<<word", "the redirection <<<", 4},
    {"cat <(ls)", "the redirection <", 4},
    {"(ls)", "a parenthesis (", 0},
    {"ls )", "a parenthesis )", 3},
    {"ls\nid", "a newline", 2},
    {"echo $(id)", "a command substitution $(...)", 5},
    {"echo `id`", "a command substitution (a backquote)", 5},
    {"echo $((1+1))", "an arithmetic expansion $((...))", 5},
    {"echo ${HOME}", "a variable ${...}", 5},
    {"echo a$HOME/b", "the variable $HOME", 6},
    {"echo $1", "the variable $1", 5},
    {"echo $?", "the variable $?", 5},
    {"$SHELL", "the variable $SHELL", 0},
    {"echo \"$(id)\"", "a command substitution $(...)", 6},
    {"echo \"a`id`\"", "a command substitution (a backquote)", 7},
    {"echo 'a' ; id", "the operator ;", 9},
    {"echo \"a\\\"b\" ; id", "the operator ;", 12},
    {"echo \\\\; id", "the operator ;", 7},
    {"echo a\\ #; id", "the operator ;", 9},
    {"echo a\\\n#; id", "the operator ;", 9},
    {"echo ''#; id", "the operator ;", 8},
    {"echo a\\ 2>f", "the redirection >", 9},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(shell_operators)

BOOST_AUTO_TEST_CASE(the_first_operator_is_named_with_its_place) {
  for (const Row& row : operators) {
    check_construct(find_operator(row.text), row);
    check_construct(refused(row.text), row);
  }
}

BOOST_AUTO_TEST_CASE(what_is_quoted_is_not_an_operator) {
  for (const char* text :
       {"echo ';' '&&' '|' '>' '$HOME' '`id`' '('", "echo \";|&<>()\"", "echo \\; \\| \\& \\> \\$HOME \\` \\(",
        "echo \"\\$HOME \\`id\\`\"", "echo 'a\nb'", "echo \"a\nb\"", "echo $ a$ \"$\" 100%", "ls\n", "\n ls \n\n",
        "ls \\\n -l", "echo a#b c=d e!f"}) {
    BOOST_TEST(!find_operator(text).has_value(), text);
    BOOST_TEST(!refused(text).has_value(), text << ": " << refused(text).value_or(Construct()).what);
  }
}

BOOST_AUTO_TEST_CASE(words_are_read_as_a_shell_reads_them) {
  const auto words = [](std::string_view text) { return std::get<Words>(only_words(text)); };
  BOOST_TEST(words("ls") == (Words{"ls"}));
  BOOST_TEST(words("  grep -n 'two words' \"it's\" a\\ b '' ") ==
             (Words{"grep", "-n", "two words", "it's", "a b", ""}));
  BOOST_TEST(words("echo a'b'\"c\"\\d") == (Words{"echo", "abcd"}));
  BOOST_TEST(words("echo '\\n' \"\\n\" \"\\\\\"") == (Words{"echo", "\\n", "\\n", "\\"}));
  BOOST_TEST(words("echo \xE6\xBC\xA2") == (Words{"echo", "\xE6\xBC\xA2"}));
  BOOST_TEST(words("cd /tmp") == (Words{"cd", "/tmp"}));
  BOOST_TEST(words("'' a") == (Words{"", "a"}));
  for (const char* nothing : {"", " ", "\t\n", "# only a comment"}) BOOST_TEST(words(nothing).empty());
}

BOOST_AUTO_TEST_CASE(other_constructs_of_shells_are_named_too) {
  constexpr Row rows[] = {
      {"ls *.c", "the glob character *", 3},
      {"ls a?", "the glob character ?", 4},
      {"ls [ab]", "the glob character [", 3},
      {"ls ~", "a tilde", 3},
      {"ls {a,b}", "a brace expansion", 3},
      {"{ ls; }", "a group of commands", 0},
      {"if ls; then id; fi", "the keyword if", 0},
      {"FOO=1 ls", "an assignment", 0},
      {"FOO=1", "an assignment", 0},
      {"! ls", "the negation !", 0},
      {"time ls", "the keyword time", 0},
      {"ls 'a", "a single quote that is never closed", 3},
      {"ls \"a", "a double quote that is never closed", 3},
      {"ls \\", "a backslash with nothing after it", 3},
      {"echo see issue #5", "a comment: a shell would ignore # and what follows it", 15},
      {"ls # comment\nid", "a comment: a shell would ignore # and what follows it", 3},
      {"ls # a; b | c", "a comment: a shell would ignore # and what follows it", 3},
  };
  for (const Row& row : rows) check_construct(refused(row.text), row);
}

BOOST_AUTO_TEST_CASE(a_zero_byte_is_refused) {
  check_construct(refused(std::string_view("ls\0id", 5)), {std::string_view("ls\0id", 5), "a zero byte", 2});
}

// Every text has either words or a construct with a place inside the text. A text with an operator has no words.
BOOST_AUTO_TEST_CASE(short_texts_of_awkward_characters_are_words_or_refused) {
  constexpr std::string_view letters = "a '\"\\;|&<>$`(){}*~#!=\n1";
  std::size_t words = 0;
  const auto check = [&](const std::string& text) {
    const auto operator_ = find_operator(text);
    const auto read = only_words(text);
    if (const auto* construct = std::get_if<Construct>(&read)) {
      if (construct->what.empty() || construct->at.begin > text.size()) BOOST_ERROR(text);
    } else {
      ++words;
      if (operator_) BOOST_ERROR("words despite an operator: " << text);
    }
  };
  for (const char a : letters) {
    for (const char b : letters) {
      for (const char c : letters) {
        check({a, b, c});
        check({'l', 's', ' ', a, b, c});
      }
    }
  }
  BOOST_TEST(words > 500U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace operators_test
