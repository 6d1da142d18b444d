// The screen of a terminal: what a person would see of what a program prints, whatever it prints.
#include "screen/screen.h"

#include <boost/test/unit_test.hpp>
#include <fstream>
#include <random>
#include <utility>

#include "screen/keys.h"

using namespace wtool::screen;

namespace {

struct Shown {
  explicit Shown(Size size = {5, 20}) : screen(size) {}
  Shown& operator<<(std::string_view bytes) {
    screen.take(bytes, replies);
    return *this;
  }
  std::string text() const {
    std::string all;
    for (const std::string& line : screen.lines()) all += line + '|';
    return all;
  }
  Screen screen;
  std::string replies;
};

long resident_kib() {
  std::ifstream statm("/proc/self/statm");
  long whole = 0, resident = 0;
  statm >> whole >> resident;
  return resident * 4;
}

}  // namespace

BOOST_AUTO_TEST_CASE(text_is_where_it_was_put) {
  Shown shown;
  shown << "one\r\ntwo\x1b[4;3Hthree";
  BOOST_TEST(shown.text() == "one|two||  three|");
  BOOST_TEST(shown.screen.cursor().row == 3);
  BOOST_TEST(shown.screen.cursor().column == 7);
  BOOST_TEST(shown.screen.lines(true).front() == "one                 ");
}

BOOST_AUTO_TEST_CASE(wide_and_combining_characters_are_whole) {
  Shown shown;
  shown << "\xe4\xb8\xad\xe6\x96\x87 e\xcc\x81.";
  BOOST_TEST(shown.text() == "\xe4\xb8\xad\xe6\x96\x87 e\xcc\x81.|");
  BOOST_TEST(shown.screen.cursor().column == 7);
}

BOOST_AUTO_TEST_CASE(colours_and_attributes_are_given_for_cells_that_look_alike) {
  Shown shown;
  shown << "a\x1b[1;31mbc\x1b[0;7;48;2;1;2;255m \x1b[m";
  const auto runs = shown.screen.runs(0);
  BOOST_REQUIRE(runs.size() == 3U);
  BOOST_TEST(runs[0].text == "a");
  BOOST_TEST(runs[0].foreground.empty());
  BOOST_TEST(runs[1].text == "bc");
  BOOST_TEST(runs[1].column == 1);
  BOOST_TEST(runs[1].bold);
  BOOST_TEST(runs[1].foreground == "1");
  BOOST_TEST(runs[2].text == " ");
  BOOST_TEST(runs[2].reverse);
  BOOST_TEST(runs[2].background == "#0102ff");
  BOOST_TEST(shown.screen.runs(1).empty());
}

BOOST_AUTO_TEST_CASE(the_second_screen_is_left_as_it_was_entered) {
  Shown shown;
  shown << "shell$ \x1b[?1049h\x1b[Heditor";
  BOOST_TEST(shown.text() == "editor|");
  BOOST_TEST(shown.screen.alternate());
  shown << "\x1b[?1049l";
  BOOST_TEST(shown.text() == "shell$|");
  BOOST_TEST(!shown.screen.alternate());
}

BOOST_AUTO_TEST_CASE(lines_that_leave_the_screen_are_kept_and_bounded) {
  Shown shown;
  for (int i = 0; i < 30'000; ++i) shown << "line " + std::to_string(i) + "\r\n";
  BOOST_TEST(shown.screen.scrolled() == 29'996U);
  BOOST_TEST(shown.screen.scrollback().size() == max_scrollback_lines);
  BOOST_TEST(shown.screen.scrollback().back() == "line 29995");
  for (int i = 0; i < 5'000; ++i) shown << std::string(5000, 'x') + "\r\n";
  std::size_t bytes = 0;
  for (const std::string& line : shown.screen.scrollback()) bytes += line.size() + 1;
  BOOST_TEST(bytes <= max_scrollback);
}

BOOST_AUTO_TEST_CASE(the_terminal_answers_what_it_is_asked_and_no_flood_of_questions) {
  Shown shown;
  shown << "\x1b[3;4H\x1b[6n";
  BOOST_TEST(shown.replies == "\x1b[3;4R");
  std::string questions;
  for (int i = 0; i < 10'000; ++i) questions += "\x1b[6n";
  shown.replies.clear();
  shown << questions;
  BOOST_TEST(shown.replies.size() <= 4096U);
}

BOOST_AUTO_TEST_CASE(the_title_is_text) {
  Shown shown;
  shown << "\x1b]2;a \xff b\x07";
  BOOST_TEST(shown.screen.title() == "a \xef\xbf\xbd b");
}

BOOST_AUTO_TEST_CASE(a_smaller_screen_forgets_regions_and_cursors_of_a_larger_one) {
  Shown shown({100, 200});
  shown << "\x1b[90;100r\x1b[99;199H\x1b"
           "7\x1b[1;1H";
  for (int row = 0; row < 99; ++row) shown << std::to_string(row) + "\r\n";
  shown << "\x1b[1;1H";
  for (const Size size : {Size{2, 2}, Size{200, 500}, Size{2, 500}, Size{3, 7}}) {
    shown.screen.resize(size);
    shown << "\x1b"
             "8x\x1b[1J\x1b[u\tx\x1b[2L\x1bM\x1bH\n\n\n";
    BOOST_TEST(shown.screen.cursor().row < size.rows);
    BOOST_TEST(shown.screen.cursor().column < size.columns);
    BOOST_TEST(shown.screen.lines(true).size() == static_cast<std::size_t>(size.rows));
  }
}

BOOST_AUTO_TEST_CASE(endless_combining_characters_take_no_memory) {
  Shown shown;
  std::string marks;
  for (int i = 0; i < 8'000; ++i) marks += "\xcc\x81";
  shown << "e" + marks;
  const long before = resident_kib();
  for (int i = 0; i < 500; ++i) shown << marks;
  BOOST_TEST(resident_kib() - before < 8 * 1024);
  shown << "f";
  BOOST_TEST(shown.screen.cursor().column == 2);
}

// After these controls and sequences, libvterm still adds to the list of combining characters of the earlier glyph. One
// more mark, written elsewhere, makes that list visible: the mark would replace the "e" of the first cell.
BOOST_AUTO_TEST_CASE(controls_and_sequences_make_no_room_for_more_combining_characters) {
  std::string marks;
  for (int i = 0; i < 8; ++i) marks += "\xcc\x81";
  const std::string accented = "e" + marks.substr(0, 10) + "|";
  for (const char* between :
       {"\x0f", "\x0e\x0f", "\x1b[m", "\x1b[4l", "\b\x1b[C", "\x1b[s\x1b[u", "\x1b[1A", "\r\x1b[C"}) {
    Shown shown;
    shown << "e" + marks << between << "\r\xcc\x81";
    BOOST_TEST(shown.text() == accented, between);
    // There are few rounds, because without the bound each round takes longer than the one before.
    for (int i = 0; i < 500; ++i) shown << "\x1b[2G" << marks << between;
    shown << "\r\xcc\x81";
    BOOST_TEST(shown.text() == accented, between);
  }
}

BOOST_AUTO_TEST_CASE(a_glyph_after_too_many_combining_characters_is_shown_and_may_have_its_own) {
  std::string marks;
  for (int i = 0; i < 20; ++i) marks += "\xcc\x81";
  for (const std::string glyph : {"f", "\xc3\xa4", "\xe4\xb8\xad", "\xf0\x9f\x98\x80"}) {
    Shown shown;
    shown << "e" + marks + glyph + "\xcc\x82.";
    BOOST_TEST(shown.text() == "e" + marks.substr(0, 10) + glyph + "\xcc\x82.|", glyph);
  }
}

// Without automatic wrapping, every character at the end of the line leaves the cursor where it is.
BOOST_AUTO_TEST_CASE(glyphs_that_overwrite_each_other_at_the_end_of_a_line_are_not_taken_for_combining_characters) {
  Shown shown({2, 4});
  shown << "\x1b[?7l\x1b[4G";
  for (int i = 0; i < 20; ++i) shown << "\xc3\xa4";
  shown << "\xc3\xb6\r\xc3\xbc";
  BOOST_TEST(shown.text() == "\xc3\xbc  \xc3\xb6|");
}

// On a terminal that echoes, every answer comes back as output.
BOOST_AUTO_TEST_CASE(no_answer_is_a_question) {
  for (const char* question :
       {"\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[>0c", "\x1b[5n", "\x1b[6n", "\x1b[?5n", "\x1b[?6n"}) {
    Shown shown;
    shown << question;
    BOOST_TEST(!shown.replies.empty(), question + 1);
    const std::string answer = shown.replies;
    shown.replies.clear();
    shown << answer;
    BOOST_TEST(shown.replies.empty(), question + 1);
  }
  for (const char* nothing :
       {"\x1b[>1c", "\x1b[>0;100;0c", "\x1bP$qm\x1b\\", "\x1bZ", "\x05", "\x1b[x", "\x1b[21t", "\x1b[?1$p"}) {
    Shown shown;
    shown << nothing;
    BOOST_TEST(shown.replies.empty(), nothing + 1);
  }
}

BOOST_AUTO_TEST_CASE(a_large_screen_takes_fewer_bytes_at_once) {
  BOOST_TEST(max_at_once({least_rows, least_columns}) == 4096U);
  BOOST_TEST(max_at_once({24, 80}) == 4096U);
  BOOST_TEST(max_at_once({50, 200}) == 800U);
  BOOST_TEST(max_at_once({max_rows, max_columns}) == 256U);
}

// Bytes of every kind, and sequences that are nearly right, on screens of every size.
BOOST_AUTO_TEST_CASE(random_bytes_neither_crash_nor_hang_nor_lose_the_cursor) {
  constexpr std::string_view finals = "@ABCDEFGHIJKLMPSTXZ`abcdefghjklmnrpqstuvx{}|~";
  const std::vector<std::string> pieces{
      "\x1b"
      "7",
      "\x1b"
      "8",
      "\x1bM",
      "\x1b"
      "c",
      "\x1bH",
      "\x1b(0",
      "\x1b#8",
      "\x1b#6",
      "\x1bN",
      "\x0e",
      "\x0f",
      "\x1b]0;t\x07",
      "\x1bP$qm\x1b\\",
      "\x1b]52;",
      "\xc2\x80",
      "\xe2\x80",
      "\xcc\x81",
      "\xe4\xb8\xad",
      "\t",
      "\r\n",
      "\b",
      "\x1b[6n",
      "\x84\x9b",
      "\xf4\x90\x80\x80",
      "\x1b[9999b",
      "\x1b[?6h",
      "\x1b[?1049h",
      "\x1b[?1049l",
      "\x1b[?7l"};
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    const auto number = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    const auto size = [&] {
      return Size{number(least_rows, number(0, 3) != 0 ? 30 : max_rows),
                  number(least_columns, number(0, 3) != 0 ? 90 : max_columns)};
    };
    Shown shown(size());
    for (int step = 0; step < 100; ++step) {
      std::string bytes;
      for (int i = number(1, 40); i > 0; --i) {
        switch (number(0, 2)) {
          case 0:
            bytes += static_cast<char>(number(0, 255));
            break;
          case 1:
            bytes += pieces[static_cast<std::size_t>(number(0, static_cast<int>(pieces.size()) - 1))];
            break;
          default:
            bytes += number(0, 3) == 0 ? "\x1b[?" : "\x1b[";
            for (int k = number(0, 20); k > 0; --k)
              bytes += std::to_string(number(0, 60'000)) + (k % 5 == 0 ? ':' : ';');
            bytes += finals[static_cast<std::size_t>(number(0, static_cast<int>(finals.size()) - 1))];
        }
      }
      shown << bytes;
      if (number(0, 9) == 0) shown.screen.resize(size());
      const Cursor cursor = shown.screen.cursor();
      const Size now = shown.screen.size();
      BOOST_REQUIRE((cursor.row >= 0 && cursor.row < now.rows && cursor.column >= 0 && cursor.column < now.columns));
    }
    shown.screen.lines(true);
    for (int row = 0; row < shown.screen.size().rows; ++row) shown.screen.runs(row);
  }
}

// As xterm sends them; ECMA-48 and terminfo's entry xterm have the same.
BOOST_AUTO_TEST_CASE(each_key_sends_what_programs_expect_of_it) {
  Shown shown;
  const std::pair<const char*, std::string> rows[] = {
      {"enter", "\r"},         {"tab", "\t"},           {"backspace", "\x7f"},
      {"escape", "\x1b"},      {"up", "\x1b[A"},        {"down", "\x1b[B"},
      {"right", "\x1b[C"},     {"left", "\x1b[D"},      {"home", "\x1b[H"},
      {"end", "\x1b[F"},       {"insert", "\x1b[2~"},   {"delete", "\x1b[3~"},
      {"pageup", "\x1b[5~"},   {"pagedown", "\x1b[6~"}, {"f1", "\x1bOP"},
      {"f5", "\x1b[15~"},      {"f12", "\x1b[24~"},     {"a", "a"},
      {"\u00e9", "\u00e9"},    {"ctrl+c", "\x03"},      {"alt+x", "\x1bx"},
      {"ctrl+up", "\x1b[1;5A"}};
  for (const auto& [name, bytes] : rows) {
    const auto key = key_of(name);
    BOOST_REQUIRE_MESSAGE(key.has_value(), name);
    BOOST_TEST(shown.screen.bytes_of(*key) == bytes, name);
  }
  // Programs such as editors ask for other bytes of the arrows.
  shown << "\x1b[?1h";
  BOOST_TEST(shown.screen.bytes_of(*key_of("up")) == "\x1bOA");
}
