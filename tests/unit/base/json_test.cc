// base/json.h: values as text; and how deep a text is nested (base/json_reader.h).
#include "base/json.h"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "base/json_reader.h"

namespace json_test {

using nlohmann::json;
using nlohmann::ordered_json;
using wtool::dumped;

BOOST_AUTO_TEST_SUITE(json_values)

BOOST_AUTO_TEST_CASE(the_depth_of_a_text_is_known_before_it_is_read) {
  BOOST_TEST(!wtool::nests_deeper("[[{}]]", 3));
  BOOST_TEST(wtool::nests_deeper("[[{}]]", 2));
  BOOST_TEST(!wtool::nests_deeper("[[],[],[[]]]", 3));
  BOOST_TEST(!wtool::nests_deeper(R"(["[[[", "\"[["])", 1));
  BOOST_TEST(wtool::nests_deeper("[", 0));
  BOOST_TEST(!wtool::nests_deeper("1", 0));
}

BOOST_AUTO_TEST_CASE(a_value_is_one_line_or_many) {
  BOOST_TEST(dumped(json{{"b", "ü"}, {"a", {1, nullptr}}}) == "{\"a\":[1,null],\"b\":\"ü\"}");
  BOOST_TEST(dumped(ordered_json{{"b", "ü"}, {"a", 1}}) == "{\"b\":\"ü\",\"a\":1}");
  BOOST_TEST(dumped(json{{"a", 1}}, 2) == "{\n  \"a\": 1\n}");
  BOOST_TEST(wtool::dumped_as_ascii(json{{"b", "ü\xff"}}) == "{\"b\":\"\\u00fc\\ufffd\"}");
}

BOOST_AUTO_TEST_CASE(a_line_is_what_the_library_writes) {
  const char* const texts[] = {"null",
                               "true",
                               "-7",
                               "18446744073709551615",
                               "1.5",
                               "1e300",
                               "\"\"",
                               "[]",
                               "{}",
                               "[[],{}]",
                               R"({"":{"a":[1,{"b":[]}]},"c\u0000\u001f\u007f\b\f\n\r\t\"\\/é漢🙂":"d"})"};
  for (const char* const text : texts) {
    const ordered_json value = ordered_json::parse(text);
    BOOST_TEST(dumped(value) == value.dump());
    BOOST_TEST(dumped(json(value)) == json(value).dump());
    std::string line = "x";
    wtool::append_dumped(line, value);
    BOOST_TEST(line == "x" + value.dump());
  }
  BOOST_TEST(dumped(json(std::numeric_limits<double>::quiet_NaN())) == "null");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_utf8_are_replaced) {
  BOOST_TEST(dumped(json("a\xff")) == "\"a\xef\xbf\xbd\"");
  BOOST_TEST(dumped(ordered_json("\xc3")) == "\"\xef\xbf\xbd\"");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace json_test
