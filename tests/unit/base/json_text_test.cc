// base/json_text.h
#include "base/json_text.h"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

namespace json_text_test {

namespace {

std::string text_of(std::string_view text) {
  std::string out;
  wtool::append_json_string(out, text);
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(json_text)

BOOST_AUTO_TEST_CASE(any_text_becomes_json) {
  BOOST_TEST(text_of("a\"b\\c\n\r\t\b\f\x01\x7fü漢🙂") == "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001\x7fü漢🙂\"");
  BOOST_TEST(text_of({"\0\x1f", 2}) == "\"\\u0000\\u001f\"");
  BOOST_TEST(text_of("") == "\"\"");
  for (const std::string bad : {"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", "\x80"}) {
    const nlohmann::json parsed = nlohmann::json::parse(text_of("a" + bad + "b"));
    const auto text = parsed.get<std::string>();
    BOOST_TEST(text.starts_with("a\xef\xbf\xbd"));
    BOOST_TEST(text.ends_with("b"));
  }
}

// For a long text, room is reserved once its first escape is found.
BOOST_AUTO_TEST_CASE(a_long_text_becomes_the_same_json_as_its_parts) {
  const std::string parts[] = {std::string(3000, 'x'), "\"\x01ü\xff\n", std::string(2000, '\0'), "\n\x7f\"z"};
  std::string whole, joined = "\"";
  for (const std::string& part : parts) {
    whole += part;
    const std::string text = text_of(part);
    joined.append(text, 1, text.size() - 2);
  }
  BOOST_TEST(text_of(whole) == joined + '"');
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace json_text_test
