// base/utf8.h: what commands write becomes valid UTF-8, and valid UTF-8 stays as it is.
#include "base/utf8.h"

#include <boost/test/unit_test.hpp>

namespace utf8_test {

using namespace std::string_literals;
using wtool::cut_after;
using wtool::to_utf8;
using wtool::unfinished_character;
using wtool::valid_utf8_prefix;

namespace {
const std::string mark = "\xEF\xBF\xBD";
}

BOOST_AUTO_TEST_SUITE(utf8)

BOOST_AUTO_TEST_CASE(valid_text_is_untouched) {
  for (const std::string& text :
       {""s, "ascii and more than eight bytes of it\n"s, "a\0b"s, "\x1B[31mrot\x1B[0m 漢字"s, "\xF4\x8F\xBF\xBF"s,
        "\xED\x9F\xBF\xEE\x80\x80"s, "\xC2\x80\xE0\xA0\x80\xF0\x90\x80\x80"s, "éé 12345678 €"s}) {
    bool replaced = true;
    BOOST_TEST(to_utf8(text, &replaced) == text);
    BOOST_TEST(!replaced);
  }
}

BOOST_AUTO_TEST_CASE(each_maximal_invalid_part_becomes_one_mark) {
  const std::pair<std::string, std::string> rows[] = {
      {"\xFF", mark},                                   // never a byte of UTF-8
      {"a\xC3", "a" + mark},                            // cut off at the end
      {"\xC3(", mark + "("},                            // second byte missing
      {"\xE6\xBC", mark},                               // two of three bytes: one mark
      {"\xF0\x9F\x98x", mark + "x"},                    // three of four: one mark
      {"\xC0\xAF", mark + mark},                        // overlong
      {"\xE0\x80\xAF", mark + mark + mark},             // overlong
      {"\xED\xA0\x80", mark + mark + mark},             // a surrogate
      {"\xF4\x90\x80\x80", mark + mark + mark + mark},  // beyond U+10FFFF
      {"\x80\x80", mark + mark},                        // only continuations
  };
  for (const auto& [bytes, expected] : rows) {
    bool replaced = false;
    BOOST_TEST(to_utf8(bytes, &replaced) == expected);
    BOOST_TEST(replaced);
  }
}

BOOST_AUTO_TEST_CASE(any_bytes_become_valid) {
  std::uint64_t state = 88172645463325252U;
  for (int round = 0; round < 2000; ++round) {
    std::string bytes;
    for (int i = 0; i < 40; ++i) {
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      // Most bytes are lead and continuation bytes, because the rules are about those.
      bytes.push_back(static_cast<char>(state % 3 == 0 ? state >> 8 : 0x80 | (state >> 8)));
    }
    const std::string text = to_utf8(bytes);
    BOOST_TEST_REQUIRE(valid_utf8_prefix(text) == text.size());
  }
}

BOOST_AUTO_TEST_CASE(a_cut_moves_past_the_rest_of_a_character) {
  const std::string text = "漢字";
  BOOST_TEST(cut_after(text, 0) == 0U);
  BOOST_TEST(cut_after(text, 1) == 3U);
  BOOST_TEST(cut_after(text, 3) == 3U);
  BOOST_TEST(cut_after(text, 4) == 6U);
  BOOST_TEST(cut_after(text, 5) == 6U);
  BOOST_TEST(cut_after(text, 6) == 6U);
  BOOST_TEST(cut_after(text, 7) == 6U);
  BOOST_TEST(cut_after("\x80\x80\x80\x80\x80", 0) == 0U);  // not UTF-8: moving the cut would gain nothing
}

BOOST_AUTO_TEST_CASE(a_cut_moves_back_to_the_beginning_of_a_character) {
  const std::string text = "漢字";
  const std::size_t cuts[] = {0, 0, 0, 3, 3, 3, 6, 6};
  for (std::size_t n = 0; n < std::size(cuts); ++n) BOOST_TEST(wtool::cut_before(text, n) == cuts[n]);
  BOOST_TEST(wtool::cut_before("", 0) == 0U);
}

BOOST_AUTO_TEST_CASE(a_character_that_is_not_whole_yet_is_seen) {
  BOOST_TEST(unfinished_character("abc") == 0U);
  BOOST_TEST(unfinished_character("ab\xc3") == 1U);
  BOOST_TEST(unfinished_character("ab\xe6\xbc") == 2U);
  BOOST_TEST(unfinished_character("ab\xe6\xbc\xa2") == 0U);
  BOOST_TEST(unfinished_character("\x80\x80\x80\x80") == 0U);
}

BOOST_AUTO_TEST_CASE(characters_are_counted) {
  BOOST_TEST(wtool::character_count("") == 0U);
  BOOST_TEST(wtool::character_count("abc ü 漢 😀") == 9U);
}

BOOST_AUTO_TEST_CASE(invalid_bytes_are_found_where_they_begin) {
  const std::string whole = "abc ü 漢 😀";
  BOOST_TEST(valid_utf8_prefix(whole) == whole.size());
  BOOST_TEST(wtool::is_utf8(whole));
  const std::pair<const char*, std::size_t> cases[] = {
      {"a\x80", 1},      {"a\xc0\xaf", 1}, {"\xe0\x80\xaf", 0}, {"\xed\xa0\x80", 0}, {"\xf4\x90\x80\x80", 0},
      {"ab\xe6\xbc", 2}, {"\xf5", 0}};
  for (const auto& [text, offset] : cases) {
    BOOST_TEST(valid_utf8_prefix(text) == offset);
    BOOST_TEST(!wtool::is_utf8(text));
  }
}

BOOST_AUTO_TEST_CASE(a_character_is_read_and_written_by_its_code_point) {
  for (const std::uint32_t code_point : {0x41U, 0xFCU, 0x6F22U, 0x1F600U, 0x10FFFFU}) {
    std::string text;
    wtool::append_utf8(text, code_point);
    const wtool::Character character = wtool::first_character(text + "x");
    BOOST_TEST(character.valid);
    BOOST_TEST(character.code_point == code_point);
    BOOST_TEST(character.length == text.size());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace utf8_test
