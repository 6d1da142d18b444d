// base/audit_trail.h: what a line looks like, how it is chained, and how a text that is too long for it is cut.
#include "base/audit_trail.h"

#include <boost/test/unit_test.hpp>

#include "base/sha256.h"
#include "trail_support.h"

namespace chain_test {

using namespace wtool::test;
using wtool::sha256;
using wtool::audit::Link;
using wtool::audit::make_line;
using wtool::audit::max_line;
using wtool::audit::read_link;
using wtool::audit::TrailLine;

namespace {

// 2026-01-02T03:04:05.678Z
constexpr std::chrono::system_clock::time_point some_time{std::chrono::milliseconds(1767323045678)};

TrailLine line_of(const ordered_json& fields) { return make_line(some_time, "start", fields, {}); }

ordered_json event_of(const ordered_json& fields) { return chained(line_of(fields).text).at(0); }

std::string without_newline(const std::string& text) { return text.substr(0, text.size() - 1); }

}  // namespace

BOOST_AUTO_TEST_SUITE(chain)

BOOST_AUTO_TEST_CASE(a_line_is_as_described) {
  const TrailLine line = make_line(some_time, "start", {{"call", "c-1"}, {"n", 7}}, {41, std::string(64, 'a')});
  const std::string hashed =
      R"({"time":"2026-01-02T03:04:05.678Z","seq":42,"event":"start","call":"c-1","n":7,"prev":")" +
      std::string(64, 'a') + '"';
  BOOST_TEST(line.text == hashed + R"(,"hash":")" + sha256(hashed) + "\"}\n");
  BOOST_TEST(line.link.seq == 42U);
  BOOST_TEST(line.link.hash == sha256(hashed));
}

BOOST_AUTO_TEST_CASE(a_line_that_is_read_back_gives_the_link_for_the_next_line) {
  for (const ordered_json& fields : {ordered_json(), ordered_json::object(), ordered_json{{"a", {1, 2}}},
                                     ordered_json{{"text", "\",\"prev\":\"\n\0\x7f"}}}) {
    const TrailLine line = line_of(fields);
    const auto link = read_link(without_newline(line.text));
    BOOST_REQUIRE(link.has_value());
    BOOST_TEST(link->seq == 1U);
    BOOST_TEST(link->hash == line.link.hash);
  }
}

// However many bytes are missing at the end, the line is not whole.
BOOST_AUTO_TEST_CASE(a_torn_line_is_not_taken_for_a_whole_one) {
  const std::string whole = without_newline(line_of({{"command", "echo '\"}'"}}).text);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    BOOST_TEST(!read_link(std::string_view(whole).substr(0, size)), size);
  }
}

BOOST_AUTO_TEST_CASE(a_text_that_is_not_a_line_gives_no_link) {
  const std::string good = without_newline(line_of({{"call", "c"}}).text);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    BOOST_REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
  };
  BOOST_REQUIRE(read_link(good).has_value());
  for (const std::string& text :
       {changed("{\"time", "{\"tine"), changed("\"seq\":1", "\"seq\":0"), changed("\"seq\":1", "\"seq\":x"),
        changed("\"seq\":1", "\"seq\":99999999999999999999999"), changed("\"seq\":1,", "\"seq\":1;"),
        changed("prev", "pref"), changed("hash", "hush"), changed("0000\"", "000A\""), changed("0000\"", "0000'"),
        good + "\n", good.substr(0, good.size() - 3) + "g\"}", std::string("{}"), std::string("[1]"),
        good.substr(0, 60) + std::string(max_line, ' ') + good.substr(60)}) {
    BOOST_TEST(!read_link(text), text.substr(0, 300));
  }
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_replaced) {
  BOOST_TEST(event_of({{"command", "a\xff\xc3"}})["command"].get<std::string>() == "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

BOOST_AUTO_TEST_CASE(a_field_cannot_take_the_place_of_the_lines_own) {
  const ordered_json event =
      event_of({{"time", "never"}, {"seq", 7}, {"event", "end"}, {"prev", "x"}, {"hash", "y"}, {"call", "c"}});
  BOOST_TEST(event["event"] == "start");
  BOOST_TEST(event["call"] == "c");
  BOOST_TEST(event.size() == 6U);
}

BOOST_AUTO_TEST_CASE(a_long_text_is_cut_and_says_what_it_was) {
  const std::string command = std::string(1000, ' ') + std::string(300'000, 'x');
  const TrailLine line = line_of({{"call", "c"}, {"command", command}, {"directory", "/site"}});
  BOOST_TEST(line.text.size() <= max_line);
  BOOST_TEST(line.text.size() > max_line / 4);
  const ordered_json event = chained(line.text).at(0);
  const auto shown = event["command"].get<std::string>();
  const std::string mark = "... [cut: 301000 bytes, sha256 " + sha256(command) + "]";
  BOOST_TEST(shown.ends_with(mark));
  BOOST_TEST(command.starts_with(shown.substr(0, shown.size() - mark.size())));
  BOOST_TEST(event["call"] == "c");
  BOOST_TEST(event["directory"] == "/site");
}

// Each control character takes six bytes in JSON, so how much fits depends on the text.
BOOST_AUTO_TEST_CASE(whatever_the_text_is_the_line_is_not_too_long) {
  for (const std::string& unit : {std::string("x"), std::string("\x01"), std::string("\""), std::string("\xC3\xA9"),
                                  std::string("\xE2\x82\xAC"), std::string("\xF0\x9F\x98\x80"), std::string("\xff")}) {
    for (const std::size_t count : {10'000U, 65'000U, 300'000U}) {
      std::string text = "a";
      for (std::size_t i = 0; i < count; ++i) text += unit;
      const TrailLine line = line_of({{"outer", {{"command", text}, {"list", {text, 1}}}}});
      BOOST_TEST(line.text.size() <= max_line);
      const auto event = chained(line.text);
      BOOST_REQUIRE(event.size() == 1U);
      if (unit != "\xff") BOOST_TEST(line.text.find("\xEF\xBF\xBD") == std::string::npos);  // No character was halved.
    }
  }
}

BOOST_AUTO_TEST_CASE(too_many_fields_are_left_out_and_counted) {
  ordered_json fields{{"call", "c"}};
  for (int i = 0; i < 20'000; ++i) fields["field " + std::to_string(i)] = i;
  const ordered_json event = event_of(fields);
  check_says(event["fields_left_out"].get<std::string>(), " bytes");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace chain_test
