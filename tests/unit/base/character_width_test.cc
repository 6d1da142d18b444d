// base/character_width.h: in which cases a character takes no column, one, or two.
#include "base/character_width.h"

#include <boost/test/unit_test.hpp>

namespace character_width_test {

using wtool::character_width;

BOOST_AUTO_TEST_SUITE(widths_of_characters)

BOOST_AUTO_TEST_CASE(most_characters_take_one_column) {
  for (const std::uint32_t character : {0x20U, 0x41U, 0xfcU, 0x3a9U, 0x416U, 0x2014U, 0x2026U, 0x10ffffU}) {
    BOOST_TEST(character_width(character) == 1U, character);
  }
}

BOOST_AUTO_TEST_CASE(east_asian_characters_and_pictures_take_two_columns) {
  for (const std::uint32_t character : {0x1100U, 0x3042U, 0x6f22U, 0xac00U, 0xff21U, 0x1f600U}) {
    BOOST_TEST(character_width(character) == 2U, character);
  }
}

BOOST_AUTO_TEST_CASE(rare_chinese_characters_of_the_planes_2_and_3_take_two_columns) {
  for (const std::uint32_t character : {0x20000U, 0x20bb7U, 0x30000U, 0x3fffdU}) {
    BOOST_TEST(character_width(character) == 2U, character);
  }
  BOOST_TEST(character_width(0x1ffffU) == 1U);
  BOOST_TEST(character_width(0x3fffeU) == 1U);
}

BOOST_AUTO_TEST_CASE(a_mark_that_combines_with_the_letter_before_it_takes_no_column) {
  for (const std::uint32_t character : {0x300U, 0x301U, 0x308U, 0x36fU}) {
    BOOST_TEST(character_width(character) == 0U, character);
  }
  BOOST_TEST(character_width(0x2ffU) == 1U);
  BOOST_TEST(character_width(0x370U) == 1U);
}

BOOST_AUTO_TEST_CASE(an_invisible_character_between_letters_takes_no_column) {
  for (const std::uint32_t character : {0x200bU, 0x200cU, 0x200dU, 0x200fU}) {
    BOOST_TEST(character_width(character) == 0U, character);
  }
  BOOST_TEST(character_width(0x200aU) == 1U);
  BOOST_TEST(character_width(0x2010U) == 1U);
}

BOOST_AUTO_TEST_CASE(a_selector_of_a_variant_of_the_character_before_it_takes_no_column) {
  BOOST_TEST(character_width(0xfe00U) == 0U);
  BOOST_TEST(character_width(0xfe0fU) == 0U);
  BOOST_TEST(character_width(0xfdffU) == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace character_width_test
