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

// People read this form on a terminal.
BOOST_AUTO_TEST_CASE(a_value_with_many_lines_has_no_character_that_controls_a_terminal) {
  const std::string text =
      "\x1b\x7f"
      "\u009b31m \u061c\u202eabc\u2066 \u00e9\u20ac\u4e2d";
  const std::string expected = R"("\u001b\u007f\u009b31m \u061c\u202eabc\u2066 )"
                               "\u00e9\u20ac\u4e2d\"";
  BOOST_TEST(dumped(json{{text, 1}}, 2) == "{\n  " + expected + ": 1\n}");
  BOOST_TEST(dumped(ordered_json{{"a", text}}, 2) == "{\n  \"a\": " + expected + "\n}");
  BOOST_TEST(json::parse(dumped(json(text), 0)) == text);
  BOOST_TEST(dumped(json("\u00e9"), 0) == "\"\u00e9\"");
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

BOOST_AUTO_TEST_CASE(a_message_shows_a_value_of_up_to_60_bytes_and_the_beginning_of_a_longer_one) {
  const std::string longest(58, 'x');  // and two quotes
  BOOST_TEST(wtool::show_json(longest) == '"' + longest + '"');
  BOOST_TEST(wtool::show_json(longest + "x") == '"' + longest + "x... (61 bytes)");
  BOOST_TEST(wtool::show_json(std::string(58, 'x') + "ü") == '"' + longest + "... (62 bytes)");
  BOOST_TEST(wtool::excerpt(longest) == '"' + longest + '"');
  BOOST_TEST(wtool::excerpt(longest + "x") == '"' + longest + "x... (61 bytes)");
  BOOST_TEST(wtool::describe_json(json{1, 2}) == "a value of type array (5 bytes)");
}

BOOST_AUTO_TEST_CASE(an_object_is_read_or_a_sentence_says_why_not) {
  const auto problem = [](const std::string& text) {
    std::string why;
    wtool::parse_json_object(text, why);
    return why;
  };
  const auto nested = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
  };
  BOOST_TEST(problem("{}") == "");
  BOOST_TEST(problem(R"( {"a":{"b":1},"c":{"b":2}} )") == "");
  BOOST_TEST(problem(nested(64)) == "");
  BOOST_TEST(problem(nested(65)) == "this JSON is nested deeper than 64 levels");
  BOOST_TEST(problem(R"({"a":[{"b":1,"b":2}]})") == "the key \"b\" occurs twice; one of the two values would be lost");
  BOOST_TEST(problem(R"({"a":1,"\u0061":2})") == "the key \"a\" occurs twice; one of the two values would be lost");
  BOOST_TEST(problem("[1]") == "expected a JSON object, got [1]");
  BOOST_TEST(problem(std::string("{}\0", 3)) == "this is not JSON: byte 3 is NUL");
  for (const char* bad : {"", "{", "{}x", "{'a':1}", R"({"a":1,})", R"({"a":"\ud800"})"}) {
    BOOST_TEST(problem(bad).starts_with("this is not JSON: "), bad);
  }
  for (const std::string& long_value : {std::string(100'000, '9'), '"' + std::string(100'000, 'x')}) {
    const std::string text = problem("{\"a\":" + long_value + '}');
    BOOST_TEST(text.starts_with("this is not JSON: "), text);
    BOOST_TEST(text.size() < 300U, text);
  }
  BOOST_TEST(wtool::repeated_key(R"({"a":1,"b":{"a":2}})") == "");
  BOOST_TEST(wtool::repeated_key(R"([{"a":1},{"b":2,"b":3,"a":4,"a":5}])") == "\"b\"");
}

BOOST_AUTO_TEST_CASE(a_text_that_is_not_json_is_discarded_or_thrown) {
  using wtool::parse_json;
  BOOST_TEST(parse_json("[1]") == json::parse("[1]"));
  BOOST_TEST(wtool::parse_json_or_throw("[1]") == json::parse("[1]"));
  for (const std::string& bad : {std::string("["), std::string(), std::string("1\0", 2), std::string("\0", 1)}) {
    BOOST_TEST(parse_json(bad).is_discarded());
    BOOST_TEST(wtool::parse_ordered_json(bad).is_discarded());
    BOOST_CHECK_THROW(wtool::parse_json_or_throw(bad), json::exception);
    BOOST_CHECK_THROW(wtool::parse_ordered_json_or_throw(bad), json::exception);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace json_test
