// Texts as a person at a terminal sees them.
#include "terminal/text.h"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace wtool::host {

BOOST_AUTO_TEST_SUITE(host_terminal_test)

namespace {

// Sets the variables of the locale while this object exists; those that are not named are unset.
class Locale {
 public:
  explicit Locale(const std::map<std::string, std::string>& wanted) {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
      const char* before = std::getenv(name);
      before_[name] = before == nullptr ? std::nullopt : std::optional<std::string>(before);
      const auto found = wanted.find(name);
      set(name, found == wanted.end() ? std::nullopt : std::optional(found->second));
    }
  }
  Locale(const Locale&) = delete;
  Locale& operator=(const Locale&) = delete;
  ~Locale() {
    for (const auto& [name, value] : before_) set(name, value);
  }

 private:
  static void set(const std::string& name, const std::optional<std::string>& value) {
    if (value) {
      ::setenv(name.c_str(), value->c_str(), 1);
    } else {
      ::unsetenv(name.c_str());
    }
  }
  std::map<std::string, std::optional<std::string>> before_;
};

// The lines in brackets, with an E before those of the error stream.
std::string shown(const std::vector<OutputLine>& lines) {
  std::string text;
  for (const OutputLine& line : lines) text += (line.is_error_stream ? "E[" : "[") + line.text + "]";
  return text;
}

std::string excerpt(std::string_view text, std::size_t lines, bool tail) {
  std::string out;
  append_excerpt(out, "output", text, lines, tail);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(texts)

BOOST_AUTO_TEST_CASE(a_duration_has_the_units_that_suit_its_length) {
  const std::pair<int, const char*> cases[] = {
      {0, "0.000 s"},
      {31, "0.031 s"},
      {999, "0.999 s"},
      {1000, "1.00 s"},
      {2030, "2.03 s"},
      {9990, "9.99 s"},
      {10'000, "10.0 s"},
      {12'400, "12.4 s"},
      {99'900, "99.9 s"},
      {100'000, "1 min 40 s"},
      {185'000, "3 min 05 s"},
      {3'599'000, "59 min 59 s"},
      {3'600'000, "1 h 00 min"},
      {3'725'000, "1 h 02 min"},
      {90'000'000, "25 h 00 min"},
  };
  for (const auto& [ms, text] : cases) BOOST_TEST(duration_text(std::chrono::milliseconds(ms)) == text);
}

BOOST_AUTO_TEST_CASE(what_would_control_a_terminal_is_taken_out) {
  const std::pair<std::string, const char*> cases[] = {
      {"a\x1b[31mb\x1b[0mc", "abc"},
      {"\x1b[?25hb", "b"},
      {"\x1b[1~b", "b"},
      {"\x1b[@b", "b"},
      {"a\x1b[31", "a"},
      {"a\x1b", "a"},
      {"a\x1b[", "a"},
      {"\x1b"
       "7b",
       "b"},
      {"\x1b]0;title\ab", "b"},
      {"\x1b]0;title\x1b\\b", "b"},
      {"\x1bPtitle\x1b\\b", "b"},
      {"\x1b_title\x1b\\b", "b"},
      {"\x1b^title\x1b\\b", "b"},
      {"\x1b]0;title\nb", "b"},
      {"a\x1b]0;title", "a"},
      {"a\x01\x7f\rb", "ab"},
      {"a\xff"
       "b\xc3",
       "a?b?"},
      {"\xc2\x85", "?"},  // a control character of two bytes
      {"\xe2\x80\xae"
       "b",
       "?b"},  // writes from right to left
      {"Grüße 漢字", "Grüße 漢字"},
  };
  for (const auto& [text, clean] : cases) {
    BOOST_TEST(cleaned_for_terminal(text, false) == clean);
    BOOST_TEST(cleaned_line(text) == clean);
    BOOST_TEST(cleaned_for_terminal(text, true) == clean);
  }
  BOOST_TEST(cleaned_for_terminal("a\nb\n", false) == "a b ");
  BOOST_TEST(cleaned_for_terminal("a\nb\n", true) == "a\nb\n");
  BOOST_TEST(cleaned_for_terminal("a\tb", false) == "a b");
  BOOST_TEST(cleaned_for_terminal("a\tb", true) == "a\tb");
  BOOST_TEST(cleaned_line("a\tb\nc") == "a\tb c");
}

BOOST_AUTO_TEST_CASE(texts_are_cut_and_padded_by_columns) {
  BOOST_TEST(display_width("") == 0U);
  BOOST_TEST(display_width("abc") == 3U);
  BOOST_TEST(display_width("漢字") == 4U);
  BOOST_TEST(display_width("e\xcc\x81") == 1U);
  BOOST_TEST(padded("ab", 4) == "ab  ");
  BOOST_TEST(padded("漢", 4) == "漢  ");
  BOOST_TEST(padded("abcd", 4) == "abcd");
  BOOST_TEST(padded("abcde", 4) == "abcde");
  const Locale utf8(std::map<std::string, std::string>{{"LC_ALL", "C.UTF-8"}});
  const std::pair<std::size_t, const char*> cases[] = {{7, "abcdef"}, {6, "abcdef"}, {5, "abcd…"},
                                                       {2, "a…"},     {1, "…"},      {0, ""}};
  for (const auto& [columns, text] : cases) BOOST_TEST(cut_to_width("abcdef", columns) == text);
  BOOST_TEST(cut_to_width("漢字漢", 6) == "漢字漢");
  BOOST_TEST(cut_to_width("漢字漢", 5) == "漢字…");
  BOOST_TEST(cut_to_width("漢字漢", 4) == "漢…");
  BOOST_TEST(cut_to_width("", 0) == "");
}

BOOST_AUTO_TEST_CASE(the_ellipsis_is_one_that_the_locale_can_show) {
  const auto cut = [](const std::map<std::string, std::string>& variables) {
    const Locale locale(variables);
    return cut_to_width("abcdef", 5);
  };
  BOOST_TEST(cut({}) == "ab...");
  BOOST_TEST(cut({{"LC_ALL", "C"}}) == "ab...");
  BOOST_TEST(cut({{"LANG", "en_US.UTF-8"}}) == "abcd…");
  BOOST_TEST(cut({{"LC_CTYPE", "en_US.utf8"}}) == "abcd…");
  BOOST_TEST(cut({{"LC_ALL", "C"}, {"LANG", "en_US.UTF-8"}}) == "ab...");
  BOOST_TEST(cut({{"LC_CTYPE", "C"}, {"LANG", "en_US.UTF-8"}}) == "ab...");
  BOOST_TEST(cut({{"LC_ALL", ""}, {"LANG", "en_US.UTF-8"}}) == "abcd…");
  const Locale plain(std::map<std::string, std::string>{});
  BOOST_TEST(cut_to_width("abcdef", 3) == "...");
  BOOST_TEST(cut_to_width("abcdef", 2) == "..");
}

BOOST_AUTO_TEST_CASE(an_excerpt_has_the_first_or_the_last_lines) {
  BOOST_TEST(excerpt("", 2, false) == "");
  BOOST_TEST(excerpt(" \n \n", 2, false) == "");
  BOOST_TEST(excerpt("a\nb\n\n", 2, false) == "  output:\n    | a\n    | b\n");
  BOOST_TEST(excerpt("a\n\nb", 3, true) == "  output:\n    | a\n    | \n    | b\n");
  BOOST_TEST(excerpt("a\nb\nc\n", 2, false) == "  output (the beginning of it):\n    | a\n    | b\n");
  BOOST_TEST(excerpt("a\nb\nc\n", 2, true) == "  output (the end of it):\n    | b\n    | c\n");
  const std::string full(8192, 'x');
  BOOST_TEST(excerpt(full, 2, false) == "  output:\n    | " + full + "\n");
  BOOST_TEST(excerpt(full + "y", 2, false) == "  output (the beginning of it):\n    | " + full + "\n");
  BOOST_TEST(excerpt("y" + full, 2, true) == "  output (the end of it):\n    | " + full + "\n");
}

BOOST_AUTO_TEST_CASE(outputs_become_lines_when_these_are_complete) {
  StepOutput output;
  BOOST_TEST(shown(output.add(false, "a\nb")) == "[a]");
  BOOST_TEST(shown(output.add(true, "e")) == "");
  BOOST_TEST(shown(output.add(false, "c\n\n")) == "[bc][]");
  BOOST_TEST(shown(output.add(true, "f\n")) == "E[ef]");
  BOOST_TEST(shown(output.add(false, "10%\r20%")) == "");
  BOOST_TEST(shown(output.add(false, "\r")) == "");
  BOOST_TEST(shown(output.add(false, "30%\r\n40%\r\n")) == "[30%][40%]");
  BOOST_TEST(shown(output.add(false, "\x1b[1mbold\x1b[0m\n")) == "[bold]");
  output.add(false, "rest\r");
  output.add(true, "also");
  BOOST_TEST(shown(output.finish()) == "[rest]E[also]");
  BOOST_TEST(shown(output.finish()) == "");
  BOOST_TEST(shown(output.add(false, "new\n")) == "[new]");
  const std::string longest(65'536, 'x');
  BOOST_TEST(shown(output.add(false, longest.substr(1))) == "");
  BOOST_TEST(shown(output.add(false, "xy\n")) == "[" + longest + "][y]");
}

BOOST_AUTO_TEST_CASE(only_the_last_lines_of_very_many_are_kept) {
  KeptLines kept;
  BOOST_TEST(kept.empty());
  const std::string text(64'000, 'x');
  for (int i = 0; i < 60; ++i) kept.add({{i % 2 == 0, text}});
  BOOST_TEST(kept.lines().size() == 60U);
  BOOST_TEST(kept.left_out() == 0U);
  for (int i = 0; i < 40; ++i) kept.add({{false, text}, {true, "short"}});
  BOOST_TEST(!kept.empty());
  BOOST_TEST(kept.lines().back().text == "short");
  BOOST_TEST(kept.lines().size() + kept.left_out() == 140U);
  std::size_t bytes = 0;
  for (const OutputLine& line : kept.lines()) bytes += line.text.size() + sizeof line;
  BOOST_TEST(bytes <= 4U * 1024 * 1024);
  BOOST_TEST(bytes + kept.lines().front().text.size() + text.size() + 2 * sizeof(OutputLine) > 4U * 1024 * 1024);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
