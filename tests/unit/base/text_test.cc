// base/text.h
#include "base/text.h"

#include <boost/test/unit_test.hpp>

namespace text_test {

using namespace wtool;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(characters_beyond_ascii_are_not_letters) {
  for (const char c : {'a', 'Z', '0', '_'}) BOOST_TEST(is_word_character(c));
  for (const char c : {'-', ' ', '\0', '@', '[', '`', '{', '/', ':', '\xe4'}) BOOST_TEST(!is_word_character(c));
  BOOST_TEST(lowered("AZ[@Ä9") == "az[@Ä9");
  BOOST_TEST(in_capitals("az{`ä9") == "AZ{`ä9");
}

BOOST_AUTO_TEST_CASE(blanks_are_trimmed) {
  BOOST_TEST(trimmed(" \r\n a b\t\n") == "a b");
  BOOST_TEST(trimmed("\n a \n", " \t") == "\n a \n");
  BOOST_TEST(trimmed(" \n") == "");
  BOOST_TEST(trimmed("") == "");
  BOOST_TEST(is_blank(" \t\r\n"));
  BOOST_TEST(is_blank(""));
  BOOST_TEST(!is_blank("\v"));
}

BOOST_AUTO_TEST_CASE(names_of_variables) {
  for (const char* name : {"A", "_", "PATH", "a1", "_9"}) BOOST_TEST(is_variable_name(name), name);
  for (const char* name : {"", "1A", "A-B", "A.B", "A B", "A=", "É"}) BOOST_TEST(!is_variable_name(name), name);
}

BOOST_AUTO_TEST_CASE(words_are_listed_and_counted) {
  BOOST_TEST(is_one_of("b", {"a", "b"}));
  BOOST_TEST(!is_one_of("", {"a", "b"}));
  BOOST_TEST(alternatives({"a"}) == "a");
  BOOST_TEST(alternatives({"a", "b", "c"}) == "a, b or c");
  BOOST_TEST(counted(0, "file") == "0 files");
  BOOST_TEST(counted(1, "file") == "1 file");
  BOOST_TEST(counted(-2, "file") == "-2 files");
}

BOOST_AUTO_TEST_CASE(words_are_joined) {
  const std::vector<std::string> words = {"a", "", "b"};
  BOOST_TEST(joined({}) == "");
  BOOST_TEST(joined(words) == "a, , b");
  BOOST_TEST(joined(words, ":") == "a::b");
  BOOST_TEST(joined(std::span(words).subspan(1)) == "b");
}

BOOST_AUTO_TEST_CASE(a_number_is_the_whole_text) {
  int number = 0;
  BOOST_TEST((read_number("-12", number) && number == -12));
  BOOST_TEST((read_number("1f", number, 16) && number == 31));
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.", "99999999999"})
    BOOST_TEST(!read_number(text, number), text);
  double fraction = 0;
  BOOST_TEST((read_number("1e2", fraction) && fraction == 100));
  BOOST_TEST(!read_number("1e2", fraction, std::chars_format::fixed));
}

BOOST_AUTO_TEST_CASE(occurrences_are_counted_without_overlaps) {
  BOOST_TEST(occurrences("", "a") == 0U);
  BOOST_TEST(occurrences("banana", "an") == 2U);
  BOOST_TEST(occurrences("banana", "ana") == 1U);
}

BOOST_AUTO_TEST_CASE(what_is_inserted_is_not_replaced_again) {
  std::string text = "a.a";
  replace_all(text, "a", "aa");
  BOOST_TEST(text == "aa.aa");
  replace_all(text, "aa", "");
  BOOST_TEST(text == ".");
  replace_all(text, "b", "c");
  BOOST_TEST(text == ".");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace text_test
