#include <boost/test/unit_test.hpp>

#include "expressions/value.h"
#include "expressions_support.h"

namespace expressions_test {

using namespace wtool::host::expressions;
using namespace wtool::test;

BOOST_AUTO_TEST_CASE(expressions_have_the_values_that_they_say) {
  const std::pair<const char*, const char*> cases[] = {
      {"exit_code == 3", "true"},
      {"exit_code != 3", "false"},
      {"exit_code < 4 && exit_code >= 3", "true"},
      {"exit_code > 3 || failure", "true"},
      {"!success", "true"},
      {"!!success", "false"},
      {"!success == true", "true"},
      {"success || failure && false", "false"},
      {"(success || failure) && true", "true"},
      {"-exit_code == -3", "true"},
      {"1 == 1.0", "true"},
      {"ratio < 1", "true"},
      {"name == 'Grüße'", "true"},
      {"name.size()", "5"},
      {"size(name) > 4", "true"},
      {"items.size()", "2"},
      {"name.startsWith(\"Gr\")", "true"},
      {"name.endsWith(\"x\")", "false"},
      {"name.contains(\"üß\")", "true"},
      {"\"a\" < \"b\"", "true"},
      {"'it\\'s \\\"x\\\"\\n'", "\"it's \\\"x\\\"\\n\""},
      {"build.stdout", "\"built\\n\""},
      {"build == \"built\"", "true"},
      {"build.exit_code == 0", "true"},
      {"build.contains(\"uil\")", "true"},
      {"int(count) > 11", "true"},
      {"int(2.9)", "2"},
      {"double(count)", "12"},
      {"string(exit_code) == \"3\"", "true"},
      {"nothing == null", "true"},
      {"name == null", "false"},
      {"name != null", "true"},
      {"false && unknown", "false"},
      {"true || unknown", "true"},
      {"9223372036854775807", "9223372036854775807"},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(result_of(text) == expected); }
  }
}

BOOST_AUTO_TEST_CASE(elements_are_reached_by_their_index_or_their_name) {
  const std::pair<const char*, const char*> cases[] = {
      {"items[0]", "\"a\""},
      {"items[1] == 'b' && items.size() == 2", "true"},
      {"build['exit_code']", "0"},
      {"build[\"stdout\"].size()", "6"},
      {"items[2]", "5: there is no element 2; the size of the list is 2"},
      {"items[-1]", "6: an index is a whole number from 0, or a string, not the int -1"},
      {"items['a']", "5: a list has no field 'a'"},
      {"name[0]", "4: the string \"Grüße\" is not a list, and has no element 0"},
      {"items[0", "5: this '[' is never closed"},
      {"build.json", "6: the output is not JSON: \"built\""},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST(result_of(text) == expected, text << " gave " << result_of(text));
  }
}

BOOST_AUTO_TEST_CASE(json_becomes_values_and_all_else_stays_text) {
  const auto shown = [](const std::string& text) {
    const auto value = parse_json_value(text);
    return value ? to_json(*value) : std::string("none");
  };
  BOOST_TEST(shown(" {\"a\": [1, 2.5, true, null, \"x\"]}\n") == "{\"a\":[1,2.5,true,null,\"x\"]}");
  for (const char* text : {"", "text", "12", "\"a\"", "{", "[1] [2]", "{a: 1}", "[1]x", "[\"\xff\"]"}) {
    BOOST_TEST(shown(text) == "none", text);
  }
  BOOST_TEST(shown(std::string(100, '[') + std::string(100, ']')) != "none");
  BOOST_TEST(shown(std::string(101, '[') + std::string(101, ']')) == "none");
  BOOST_TEST(shown(std::string(1'000'000, '[') + std::string(1'000'000, ']')) == "none");
}

BOOST_AUTO_TEST_CASE(no_digit_of_a_whole_number_is_lost) {
  const auto element = [](const std::string& number) {
    const auto list = parse_json_value("[" + number + "]");
    return list ? described(list->as_list()->front()) : std::string("none");
  };
  BOOST_TEST(element("9223372036854775807") == "the int 9223372036854775807");
  BOOST_TEST(element("-9223372036854775808") == "the int -9223372036854775808");
  BOOST_TEST(element("9223372036854775808") == "the string \"9223372036854775808\"");
  BOOST_TEST(element("-9223372036854775809") == "the string \"-9223372036854775809\"");
  BOOST_TEST(element("123456789012345678901234567890") == "the string \"123456789012345678901234567890\"");
  BOOST_TEST(element("1e19").starts_with("the double 1"));
}

BOOST_AUTO_TEST_CASE(the_reason_why_a_text_is_not_json_is_true) {
  BOOST_TEST(why_not_json("[1e400]") ==
             "the output is JSON with a number that is too large for a double: '1e400'; write it as a string");
  BOOST_TEST(why_not_json("[1,]") == "the output is not JSON: \"[1,]\"");
  BOOST_TEST(why_not_json(std::string(1'000'000, '[')).starts_with("the output is not JSON: "));
}

BOOST_AUTO_TEST_CASE(errors_point_at_the_character) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "0: the expression ends where a value is expected"},
      {"exit_code == ", "13: the expression ends"},
      {"exit_code = 3", "10: a single '=' compares nothing"},
      {"success & failure", "8: a single '&'"},
      {"success | failure", "8: a single '|'"},
      {"exit_code == 3)", "14: this ')' closes nothing"},
      {"(success", "0: this '(' is never closed"},
      {"success failure", "8: \"failure\" is not expected here"},
      {"name == \"abc", "8: this text has no closing quote"},
      {"name == \"\\q\"", "9: an unknown escape"},
      {"99999999999999999999 == 1", "0: the number 99999999999999999999 does not fit"},
      {"12abc", "0: a letter cannot follow a number"},
      {"name.foo()", "5: there is no method 'foo'"},
      {"name.startsWith()", "5: 'startsWith' takes 1 argument(s), not 0"},
      {"foo(1)", "0: there is no function 'foo'"},
      {"name.matches('x(')", "13: \"x(\" is not a regular expression: missing )"},
      {"1 in items", "2: the int 1 and the string \"a\" cannot be compared with =="},
      {"name.startWith('x')", "5: there is no method 'startWith'; did you mean 'startsWith'?"},
      {"${name} == 1", "0: write a variable in a condition by its name alone"},
      {"name == #", "8: the character \"#\" means nothing"},
      {"name.", "5: the name of a field or method is expected after '.'"},
      // These errors come only when the text is evaluated.
      {"unknown == 1", "0: no unknown"},
      {"count > 2", "6: the string \"12\" and the int 2 cannot be compared with >; int(...)"},
      {"count == 12", "6: the string \"12\" and the int 12 cannot be compared"},
      {"success == 1", "8: the bool false and the int 1 cannot be compared"},
      {"success < failure", "8: the bool false and the bool true cannot be compared with <"},
      {"exit_code && success", "0: '&&' needs bools, but got the int 3"},
      {"!exit_code", "0: '!' needs a bool"},
      {"-name", "0: '-' needs a number"},
      {"exit_code.size()", "10: 'size' needs a string"},
      {"exit_code.contains('x')", "10: 'contains' needs a string before"},
      {"name.contains(3)", "14: 'contains' needs a string"},
      {"build.foo", "6: there is no field 'foo'; the fields are exit_code, stdout"},
      {"build.exit_cod", "6: there is no field 'exit_cod'; did you mean 'exit_code'? The fields are exit_code, stdout"},
      {"{}.foo", "3: there is no field 'foo'; there are no fields"},
      {"name.foo", "5: the string \"Grüße\" has no field 'foo'"},
      {"int(name)", "0: int() cannot make a number from the string"},
  };
  for (const auto& [text, expected] : cases) {
    BOOST_TEST_CONTEXT(text) { BOOST_TEST(result_of(text).starts_with(expected), result_of(text)); }
  }
}

BOOST_AUTO_TEST_CASE(of_many_fields_the_first_are_named) {
  std::string map;
  for (int i = 10; i < 33; ++i) map += (map.empty() ? "{'f" : ", 'f") + std::to_string(i) + "': 1";
  const std::string said = result_of(map + "}.foo");
  BOOST_TEST(said.find("the fields are f10, f11, ") != std::string::npos, said);
  BOOST_TEST(said.ends_with(", f29, and 3 more"), said);
}

BOOST_AUTO_TEST_CASE(depth_and_length_are_bounded) {
  const auto repeated = [](const std::string& text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
  };
  BOOST_TEST(result_of(repeated("(", 5000) + "1" + repeated(")", 5000)).find("nested too deeply") != std::string::npos);
  BOOST_TEST(result_of(repeated("!", 5000) + "success").find("nested too deeply") != std::string::npos);
  BOOST_TEST(result_of(repeated("size(", 3000)).find("nested too deeply") != std::string::npos);
  BOOST_TEST(result_of("success" + repeated(" || success", 1000)).find("nested too deeply") != std::string::npos);
  BOOST_TEST(result_of("build" + repeated(".a", 5000)).find("nested too deeply") != std::string::npos);
  BOOST_TEST(result_of("success" + repeated(" || success", 100)) == "false");
  BOOST_TEST(result_of(repeated(" ", 20000)).find("at most 16384 are allowed") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_parsed_expression_knows_the_names_it_reads) {
  const auto parsed = parse_expression("build.exit_code == 0 && size(name) > 1 || !success");
  const auto& names = std::get<Expression>(parsed).names;
  BOOST_REQUIRE_EQUAL(names.size(), 3U);
  BOOST_TEST(names[0].name == "build");
  BOOST_TEST(names[0].field == "exit_code");
  BOOST_TEST(names[1].name == "name");
  BOOST_TEST(names[1].offset == 29U);
  BOOST_TEST(names[2].name == "success");
}

}  // namespace expressions_test
