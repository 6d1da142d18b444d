// The end of a trail after a kill, a full disk or a power failure, and how the next line continues it.
#include "base/sha256.h"
#include "trail_support.h"

namespace trail_repair_test {

using namespace wtool::test;
using wtool::sha256;

namespace {

struct TornTrail : TrailFolder {
  std::string before;  // three lines

  TornTrail() {
    write_all(3);
    before = content_of(file);
  }

  // Appends `torn` to the three lines, writes one event, and checks the result. `said_of` is the part of `torn` that
  // the repair must report; empty: all of it.
  void check(const std::string& torn, const std::string& said_of = {}) {
    put(file, before + torn);
    BOOST_REQUIRE(write("next") == "");
    const std::string text = content_of(file);
    const std::string& counted = said_of.empty() ? torn : said_of;
    BOOST_TEST((text.starts_with(before + counted + '\n')));
    const std::string rest = text.substr(before.size() + counted.size() + 1);
    BOOST_TEST(lines_of(rest).size() == 2U);
    const auto events = chained(before + rest);
    BOOST_REQUIRE(events.size() == 5U);
    BOOST_TEST(events[3]["event"] == "recovered");
    BOOST_TEST(events[3]["torn_bytes"].get<std::size_t>() == counted.size());
    BOOST_TEST(events[3]["torn_sha256"].get<std::string>() == sha256(counted));
    BOOST_TEST(events[4]["call"] == "next");
  }
};

std::string next_line(const TornTrail& trail) {
  BOOST_REQUIRE(trail.write("torn") == "");
  return content_of(trail.file).substr(trail.before.size());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(repair)

BOOST_FIXTURE_TEST_CASE(a_line_torn_at_any_byte_is_closed_off_and_reported, TornTrail) {
  const std::string line = next_line(*this);
  for (std::size_t size = 1; size + 1 < line.size(); ++size) {
    BOOST_TEST_CONTEXT("torn after " << size << " bytes") { check(line.substr(0, size)); }
  }
}

BOOST_FIXTURE_TEST_CASE(a_line_that_lacks_only_its_newline_gets_it, TornTrail) {
  const std::string line = next_line(*this);
  put(file, before + line.substr(0, line.size() - 1));
  BOOST_REQUIRE(write("next") == "");
  const auto events = chained(content_of(file));
  BOOST_REQUIRE(events.size() == 5U);
  BOOST_TEST(events[3]["call"] == "torn");
  BOOST_TEST(events[4]["call"] == "next");
}

// The line only looks whole: its content does not match its hash.
BOOST_FIXTURE_TEST_CASE(a_changed_line_without_a_newline_is_torn, TornTrail) {
  std::string line = next_line(*this);
  line.replace(line.find("torn"), 4, "Torn").pop_back();
  put(file, before + line);
  BOOST_REQUIRE(write("next") == "");
  const std::string rest = content_of(file).substr(before.size() + line.size() + 1);
  BOOST_TEST(chained(before + rest).at(3)["event"] == "recovered");
}

// The line is whole, but it is not the next one of the chain.
BOOST_FIXTURE_TEST_CASE(an_earlier_line_without_a_newline_is_torn, TornTrail) {
  for (const std::string& line : lines_of(before)) check(line);
}

BOOST_FIXTURE_TEST_CASE(a_repair_that_was_itself_cut_short_is_repaired, TornTrail) {
  const std::string torn = next_line(*this).substr(0, 50);
  check(torn + "\n{\"time\":\"2026-");
  check(torn + "\n{\"time\":\"2026-\n{\"ti");
  check(torn + "\n", torn);
}

BOOST_FIXTURE_TEST_CASE(a_long_torn_end_is_repaired, TornTrail) {
  check(R"({"time":")" + std::string(5000, 'x'));
  check(R"({"time":")" + std::string(70'000, 'x'));
  check(std::string(3'000'000, '\0'));
  check(std::string(5000, '\0') + '\n' + std::string(100, '\0'));
}

BOOST_FIXTURE_TEST_CASE(more_than_a_kill_can_leave_is_refused, TornTrail) {
  const std::string all = before + std::string(17 << 20, '\0');
  put(file, all);
  check_says(write("next"), "it is not an audit trail");
  BOOST_TEST((content_of(file) == all));
}

BOOST_FIXTURE_TEST_CASE(a_torn_first_line_is_repaired, TrailFolder) {
  const std::string torn = R"({"time":"2026-)";
  for (std::size_t size = 1; size <= torn.size(); ++size) {
    put(file, torn.substr(0, size));
    BOOST_REQUIRE(write("next") == "");
    const std::string text = content_of(file);
    BOOST_TEST(text.starts_with(torn.substr(0, size) + '\n'));
    const auto events = chained(text.substr(size + 1));
    BOOST_REQUIRE(events.size() == 2U);
    BOOST_TEST(events[0]["event"] == "recovered");
    BOOST_TEST(events[0]["torn_bytes"].get<std::size_t>() == size);
  }
}

BOOST_FIXTURE_TEST_CASE(a_torn_first_line_of_a_rotated_trail_is_repaired_and_continues_the_chain, TrailFolder) {
  options.max_bytes = 500;
  write_all(3);
  const std::vector<std::string> all = names();
  BOOST_REQUIRE(all.size() == 2U);
  const std::string rotated = content_of(folder + '/' + all[1]);
  put(file, R"({"time":"2026-)");
  options.max_bytes = 0;
  BOOST_REQUIRE(write("next") == "");
  const auto events = chained(rotated + content_of(file));
  BOOST_TEST(events.at(events.size() - 2)["event"] == "recovered");
  BOOST_TEST(events.back()["call"] == "next");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace trail_repair_test
