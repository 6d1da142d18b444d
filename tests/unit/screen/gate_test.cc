// Which parts of a program's output reach the screen model: whole characters, and sequences that are known and bounded.
#include "screen/gate.h"

#include <boost/test/unit_test.hpp>
#include <string>

using wtool::screen::Gate;
using wtool::screen::GateTarget;

namespace {

struct Record : GateTarget {
  void write(std::string_view bytes) override { text += bytes; }
  void write_character(std::string_view character) override { text += character; }
  void set_title(std::string_view given) override { title = given; }
  std::string text, title;
};

struct Passed {
  Record record;
  Gate gate{record};
};

std::string passed(std::string_view bytes) {
  Passed all;
  all.gate.take(bytes);
  // The same, byte by byte.
  Passed parts;
  for (const char byte : bytes) parts.gate.take({&byte, 1});
  BOOST_TEST(parts.record.text == all.record.text);
  BOOST_TEST(parts.record.title == all.record.title);
  std::string shown = all.record.text;
  for (std::size_t at = 0; (at = shown.find('\x1b', at)) != std::string::npos;) shown.replace(at, 1, "^");
  return shown;
}

const std::string replacement = "\xef\xbf\xbd";

}  // namespace

BOOST_AUTO_TEST_CASE(text_and_the_controls_that_move_the_cursor_pass) {
  BOOST_TEST(passed("a b~\r\n\t\b") == "a b~\r\n\t\b");
  BOOST_TEST(passed("\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80") == "\xc3\xa4\xe4\xb8\xad\xf0\x9f\x98\x80");
}

BOOST_AUTO_TEST_CASE(other_controls_do_not) {
  BOOST_TEST(passed(std::string("a\0b\x01\x07\x10\x1f\x7f"
                                "c",
                                9)) == "abc");
  // Controls beyond ASCII have no width, or a negative one.
  BOOST_TEST(passed("a\xc2\x80\xc2\x9b"
                    "1mb\xc2\x9f") == "a1mb");
}

BOOST_AUTO_TEST_CASE(what_is_not_utf8_becomes_replacement_characters) {
  BOOST_TEST(passed("\x80"
                    "a") == replacement + "a");
  BOOST_TEST(passed("\xe4\xb8"
                    "a") == replacement + "a");
  BOOST_TEST(passed("\xe4\xb8\x1b[m") == replacement + "^[m");
  BOOST_TEST(passed("\xc0\x80") == replacement);
  BOOST_TEST(passed("\xed\xa0\x80") == replacement);
  BOOST_TEST(passed("\xf4\x90\x80\x80") == replacement);
  BOOST_TEST(passed("\xff\xc3\xa4") == replacement + "\xc3\xa4");
}

BOOST_AUTO_TEST_CASE(known_sequences_pass_written_again) {
  BOOST_TEST(passed("\x1b[2J\x1b[H\x1b[007;08H\x1b[1;31;48;5;200m\x1b[38:2:1:2:3m") ==
             "^[2J^[H^[7;8H^[1;31;48;5;200m^[38:2:1:2:3m");
  BOOST_TEST(passed("\x1b[?1049h\x1b[?25;7l\x1b[?47h\x1b[4h") == "^[?1049h^[?25l^[?7l^[?1047h^[4h");
  BOOST_TEST(passed("\x1b"
                    "7\x1bM\x1b(0\x1b(B\x1b=") == "^7^M^(0^(B^=");
  BOOST_TEST(passed("\x1b[6n\x1b[c\x1b[>c") == "^[6n^[c^[>c");
  // Most programs mean these sequences to save and restore the cursor.
  BOOST_TEST(passed("\x1b[s\x1b[u") == "^7^8^[1g");
}

BOOST_AUTO_TEST_CASE(unknown_and_dangerous_ones_do_not) {
  for (const char* sequence :
       {"\x1b[?69h", "\x1b[5;10s", "\x1b[?3h", "\x1b#6", "\x1b#8", "\x1bN", "\x1bO", "\x1b F", "\x1b[2;3't", "\x1b[4 q",
        "\x1b[!p", "\x1b[1$p", "\x1b[>4;2m", "\x1b[21t", "\x1b[<1;2M", "\x1b%G", "\x1b[1:2H", "\x1b[ \x80m"}) {
    BOOST_TEST(passed(std::string(sequence) + "a").back() == 'a', sequence + 1);
    BOOST_TEST(passed(sequence).find('^') == std::string::npos, sequence + 1);
  }
}

BOOST_AUTO_TEST_CASE(only_the_plain_forms_of_the_question_what_are_you_pass) {
  BOOST_TEST(passed("\x1b[c\x1b[0c\x1b[>c\x1b[>0c") == "^[c^[0c^[>c^[>0c");
  // The first two are answers of terminals. If a terminal echoes an answer, the echo must not count as a question.
  for (const char* sequence :
       {"\x1b[?1;2c", "\x1b[>0;100;0c", "\x1b[>1c", "\x1b[>;c", "\x1b[0;1c", "\x1b[9c", "\x1b[=c"}) {
    BOOST_TEST(passed(sequence).empty(), sequence + 1);
  }
}

BOOST_AUTO_TEST_CASE(numbers_are_bounded_in_size_and_count) {
  BOOST_TEST(passed("\x1b[99999999999999999999A") == "^[9999A");
  std::string many = "\x1b[1";
  for (int i = 0; i < 50; ++i) many += ";1";
  BOOST_TEST(passed(many + "m") == "^[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1m");
  BOOST_TEST(passed("\x1b[" + std::string(100'000, ';') + "mb") == "b");
}

BOOST_AUTO_TEST_CASE(a_repetition_is_written_out_and_bounded) {
  BOOST_TEST(passed("x\x1b[3b") == "xxxx");
  BOOST_TEST(passed("\xe4\xb8\xad\x1b[b") == "\xe4\xb8\xad\xe4\xb8\xad");
  BOOST_TEST(passed("\x1b[3b").empty());
  BOOST_TEST(passed("x\x1b[999999999b").size() == 501U);
}

BOOST_AUTO_TEST_CASE(a_title_is_taken_and_bounded_and_other_strings_are_dropped) {
  Passed all;
  all.gate.take(
      "a\x1b]0;first\x07"
      "b\x1b]2;second\x1b\\c");
  BOOST_TEST(all.record.text == "abc");
  BOOST_TEST(all.record.title == "second");
  all.gate.take("\x1b]2;" + std::string(1'000'000, 'x') + "\x07");
  BOOST_TEST(all.record.title.size() <= 512U);
  BOOST_TEST(passed("\x1b]52;c;QUJD\x07"
                    "a\x1bP$qm\x1b\\b\x1b_x\x1b\\c\x1b^y\x1b\\d") == "abcd");
  // A string that never ends is ended by the next sequence.
  BOOST_TEST(passed("\x1b]0;never\x1b[1mz") == "^[1mz");
}
