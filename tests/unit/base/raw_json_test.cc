// base/raw_json.h
#include "base/raw_json.h"

#include <boost/test/unit_test.hpp>
#include <random>

#include "base/json.h"
#include "base/json_reader.h"

namespace raw_json_test {

using nlohmann::json;
using wtool::find_member;
using wtool::JsonCursor;
using wtool::members_of;
using wtool::RawJson;
using Type = RawJson::Type;

std::string repeated(const std::string& text, std::size_t times) {
  std::string all;
  for (; times > 0; --times) all += text;
  return all;
}

// What the reader makes of a text, as a value of nlohmann's library.
json value_of(const RawJson& raw) {
  switch (raw.type()) {
    case Type::missing:
      return json(json::value_t::discarded);
    case Type::null:
      return nullptr;
    case Type::boolean:
      return *raw.boolean();
    case Type::number:
      if (const auto number = raw.integer<std::int64_t>()) return *number;
      if (const auto number = raw.integer<std::uint64_t>()) return *number;
      return *raw.number();
    case Type::text:
      return *raw.text();
    case Type::array: {
      json array = json::array();
      for (const RawJson& element : raw.elements()) array.push_back(value_of(element));
      return array;
    }
    case Type::object: {
      json object = json::object();
      for (const auto& [name, value] : raw.members()) object[wtool::without_json_escapes(name)] = value_of(value);
      return object;
    }
  }
  return {};
}

BOOST_AUTO_TEST_SUITE(raw_json)

BOOST_AUTO_TEST_CASE(members_are_parts_of_the_text) {
  const std::vector<RawJson::Member> members =
      members_of(" {\"verdict\" : \"allow\", \"argv\":[\"ls\", \"-l\"], \"n\":7,\"on\":true,\"none\":null} ");
  BOOST_TEST(members.size() == 5U);
  BOOST_TEST(find_member(members, "verdict").text().value() == "allow");
  BOOST_TEST(find_member(members, "argv").raw() == "[\"ls\", \"-l\"]");
  BOOST_TEST(find_member(members, "argv").elements().at(1).text().value() == "-l");
  BOOST_TEST(find_member(members, "n").integer<int>().value() == 7);
  BOOST_TEST(find_member(members, "on").boolean().value());
  BOOST_TEST((find_member(members, "none").type() == Type::null));
  BOOST_TEST((find_member(members, "other").type() == Type::missing));
}

BOOST_AUTO_TEST_CASE(a_value_of_another_type_is_nothing) {
  const RawJson text = RawJson::parse("\"1\""), number = RawJson::parse("1.5"), large = RawJson::parse("300");
  BOOST_TEST(!text.integer<int>().has_value());
  BOOST_TEST(!text.boolean().has_value());
  BOOST_TEST(text.members().empty());
  BOOST_TEST(text.elements().empty());
  BOOST_TEST(!number.text().has_value());
  BOOST_TEST(!number.integer<int>().has_value());
  BOOST_TEST(number.number().value() == 1.5);
  BOOST_TEST(!large.integer<std::uint8_t>().has_value());
  BOOST_TEST(!RawJson::parse("-1").integer<unsigned>().has_value());
  BOOST_TEST(!RawJson().text().has_value());
  BOOST_TEST(!RawJson().number().has_value());
}

BOOST_AUTO_TEST_CASE(what_is_not_an_object_has_no_members) {
  for (const char* const text : {"", "[]", "{", "{\"a\":1", "{\"a\":1}x", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "1"}) {
    BOOST_TEST(members_of(text).empty(), text);
  }
}

BOOST_AUTO_TEST_CASE(the_last_member_of_a_name_counts_however_it_is_written) {
  BOOST_TEST(find_member(members_of(R"({"a":1,"a":2})"), "a").raw() == "2");
  BOOST_TEST(find_member(members_of(R"({"\u0061":3})"), "a").raw() == "3");
  BOOST_TEST(find_member(members_of(R"({"a":1,"\u0061":3})"), "a").raw() == "3");
}

BOOST_AUTO_TEST_CASE(a_text_that_nests_too_deeply_is_refused) {
  const std::size_t most = wtool::max_raw_json_depth;
  BOOST_TEST((RawJson::parse(repeated("[", most) + repeated("]", most)).type() == Type::array));
  BOOST_TEST((RawJson::parse(repeated("[", most + 1) + repeated("]", most + 1)).type() == Type::missing));
  BOOST_TEST((RawJson::parse(repeated("[", 1'000'000)).type() == Type::missing));
  BOOST_TEST((RawJson::parse(repeated("{\"a\":", 1'000'000)).type() == Type::missing));
}

BOOST_AUTO_TEST_CASE(a_number_beyond_the_doubles_is_no_json_and_one_below_them_is_zero) {
  BOOST_TEST((RawJson::parse("1e999").type() == Type::missing));
  BOOST_TEST((RawJson::parse(repeated("9", 400)).type() == Type::missing));
  BOOST_TEST((RawJson::parse("[1e999]").type() == Type::missing));
  BOOST_TEST(RawJson::parse("1e-999").number().value() == 0);
  BOOST_TEST(RawJson::parse("0." + repeated("0", 400) + "1").number().value() == 0);
  BOOST_TEST(RawJson::parse("1e308").number().value() == 1e308);
}

// A cursor that is told to stop, or whose caller reads nothing, never reads beyond its text.
BOOST_AUTO_TEST_CASE(a_caller_may_stop_anywhere) {
  JsonCursor stopped("[1,2,3]");
  RawJson one;
  BOOST_TEST(!stopped.array([&] { return stopped.value(one) && one.raw() != "2"; }));
  BOOST_TEST(one.raw() == "2");
  JsonCursor unread("[1,2]");
  BOOST_TEST(!unread.array([] { return true; }));
  BOOST_TEST(!JsonCursor("{}").array([] { return true; }));
  BOOST_TEST(!JsonCursor("").object([](std::string_view) { return true; }));
}

// 200,000 texts: each is a valid text of which some bytes were changed, removed, repeated or exchanged.
BOOST_AUTO_TEST_CASE(texts_are_read_as_the_library_reads_them) {
  const std::string valid[] = {
      R"({"a":[1,-0,2.5e-3,18446744073709551615,18446744073709551616,-9223372036854775809],"b":{"c":null,"d":"x"}})",
      R"(["\"\\\/\b\f\n\r\t","\u0000\u00e9\ud83d\ude42","é漢🙂", true ,false, null ])",
      "\t{ \"\" : [ ] , \"k\\u0061\" : { } ,\r\n \"k\":1E5,\"z\":[[[\"deep\"]],0.0] } ",
      R"([{"verdict":"allow","rule":"","argv":["/bin/sh","-c","echo \"$HOME\""],"n":1e308},{"n":1e-308}])"};
  std::mt19937 random(20261128);
  const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random() % end); };
  constexpr std::string_view bytes = "\"\\{}[]:,. \n\t-+eEu0123456789abtrueflsn\x01\x1f\x7f\x80\xc3\xa9\xed\xff";
  std::size_t accepted = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text = valid[below(std::size(valid))];
    for (std::size_t changes = 1 + below(3); changes > 0; --changes) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = bytes[below(bytes.size())];
          break;
        case 1:
          text.erase(at, 1 + below(4));
          break;
        case 2:
          text.insert(at, text.substr(below(text.size()), 1 + below(6)));
          break;
        default:
          std::swap(text[at], text[below(text.size())]);
      }
      if (text.empty()) text = "0";
    }
    const json expected = json::parse(text, nullptr, false);
    const json ordered = wtool::parse_ordered_json(text);
    for (const json& found : {value_of(RawJson::parse(text)), wtool::parse_json(text), ordered}) {
      BOOST_REQUIRE_MESSAGE(expected.is_discarded() == found.is_discarded(), text);
      if (!expected.is_discarded()) BOOST_REQUIRE_MESSAGE(expected.dump() == found.dump(), text);
    }
    accepted += expected.is_discarded() ? 0 : 1;
  }
  BOOST_TEST(accepted > 20'000U);
}

// parse_json() leaves these to the library.
// Escapes of ASCII characters are read many at a time.
BOOST_AUTO_TEST_CASE(long_runs_of_escapes_are_read_whole) {
  std::string written;
  std::string text;
  for (int i = 0; i < 700; ++i) {
    written += i % 300 == 299 ? R"(\u0080\n\ud83d\ude42x)" : R"(\u0041\u0000)";
    text += i % 300 == 299 ? "\u0080\n🙂x" : std::string("A\0", 2);
  }
  BOOST_TEST(RawJson::parse('"' + written + '"').text().value() == text);
  BOOST_TEST((RawJson::parse('"' + written + R"(\u00")").type() == RawJson::Type::missing));
  BOOST_TEST((RawJson::parse('"' + written + R"(\u00g0")").type() == RawJson::Type::missing));
}

BOOST_AUTO_TEST_CASE(a_tree_is_made_of_what_only_the_library_reads) {
  const std::string deep = repeated("[", 1000) + repeated("]", 1000), marked = "\xef\xbb\xbf[1]";
  for (const std::string& text : {deep, marked}) {
    BOOST_TEST((RawJson::parse(text).type() == Type::missing));
    BOOST_TEST(wtool::parse_json(text) == json::parse(text));
    BOOST_TEST(wtool::parse_ordered_json(text) == nlohmann::ordered_json::parse(text));
    BOOST_TEST(wtool::parse_json_or_throw(text) == json::parse(text));
  }
  BOOST_CHECK_THROW(wtool::parse_json_or_throw("[1"), json::parse_error);
}

BOOST_AUTO_TEST_CASE(a_tree_keeps_the_order_and_the_kinds_of_values) {
  const std::string text = R"({"b":1,"a":-1,"c":1.0,"d":18446744073709551615,"b":"last"})";
  BOOST_TEST(wtool::parse_ordered_json(text).dump() == R"({"b":"last","a":-1,"c":1.0,"d":18446744073709551615})");
  const json value = wtool::parse_json(text);
  BOOST_TEST(value["a"].is_number_integer());
  BOOST_TEST(value["c"].is_number_float());
  BOOST_TEST(value["d"].is_number_unsigned());
  for (const char* number : {"-0", "-0.0", "0", "1e-999", "-1e-999", "4.9e-324", "123456789012345678901234567890"}) {
    BOOST_TEST(wtool::parse_json(number).dump() == json::parse(number).dump());
    BOOST_TEST(wtool::parse_json(number).type_name() == std::string(json::parse(number).type_name()));
    BOOST_TEST(wtool::parse_json(number).is_number_unsigned() == json::parse(number).is_number_unsigned(), number);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace raw_json_test
