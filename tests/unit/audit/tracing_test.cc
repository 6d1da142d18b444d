// How the plugin's spans and log records get to the tracing of the host.
#include "audit/tracing.h"

#include <boost/log/core.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_channel_logger.hpp>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

namespace tracing_test {

using namespace wtool::audit;

namespace {

// Keeps what it gets, one line for each event.
struct Kept final : HostTracing {
  std::vector<std::string> lines;
  Level least = Level::info;
  std::uint64_t spans = 0;

  bool enabled(Level level, std::string_view target) const override { return level >= least && target == "shell"; }
  void emit(const Record& record) override {
    std::string line = std::to_string(static_cast<unsigned>(record.level)) + ' ' + std::string(record.target) + ' ' +
                       std::string(record.message) + ' ' + std::to_string(record.span);
    for (const Field& one : record.fields) line += ' ' + one.key + '=' + one.json;
    BOOST_TEST(record.unix_ns > 1'700'000'000'000'000'000U);
    lines.push_back(line);
  }
  std::uint64_t open_span(std::uint64_t parent, std::string_view name, const Fields& fields) override {
    lines.push_back("open " + std::string(name) + " in " + std::to_string(parent) + " with " +
                    std::to_string(fields.size()));
    return ++spans;
  }
  void close_span(std::uint64_t span) override { lines.push_back("close " + std::to_string(span)); }
};

struct Attached {
  std::shared_ptr<Kept> host = std::make_shared<Kept>();
  Attached() { attach(host); }
  ~Attached() { detach(); }
};

using Lines = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_SUITE(tracing)

BOOST_FIXTURE_TEST_CASE(a_record_arrives_with_all_that_it_has, Attached) {
  log(Level::warn, "shell", "it \"said\"", {field("name", "a \"b\""), field("count", -7)}, 3);
  log(Level::info, "shell", "", {}, 0);
  BOOST_TEST((host->lines == Lines{R"(4 shell it "said" 3 name="a \"b\"" count=-7)", "3 shell  0"}));
}

BOOST_FIXTURE_TEST_CASE(what_the_host_does_not_want_is_not_passed_on, Attached) {
  BOOST_TEST(enabled(Level::info, "shell"));
  BOOST_TEST(!enabled(Level::debug, "shell"));
  BOOST_TEST(!enabled(Level::error, "other"));
  log(Level::debug, "shell", "too low", {}, 0);
  log(Level::error, "other", "of another target", {}, 0);
  BOOST_TEST(host->lines.empty());
}

BOOST_FIXTURE_TEST_CASE(a_span_is_open_as_long_as_its_object, Attached) {
  {
    const Span outer(0, "call", {field("id", 1)});
    const Span inner(outer.number(), "command", {});
    BOOST_TEST(outer.number() == 1U);
    BOOST_TEST(inner.number() == 2U);
  }
  BOOST_TEST((host->lines == Lines{"open call in 0 with 1", "open command in 1 with 0", "close 2", "close 1"}));
}

BOOST_AUTO_TEST_CASE(without_a_host_nothing_is_logged_and_nothing_is_wrong) {
  const auto host = std::make_shared<Kept>();
  attach(nullptr);
  BOOST_TEST(!attached());
  attach(host);
  BOOST_TEST(attached());
  BOOST_TEST(host.use_count() > 1);
  attach(nullptr);
  BOOST_TEST(!attached());
  BOOST_TEST(host.use_count() == 1);
  BOOST_TEST(!enabled(Level::error, "shell"));
  log(Level::error, "shell", "to nobody", {}, 0);
  const Span span(0, "call", {});
  BOOST_TEST(span.number() == 0U);
  detach();
  BOOST_TEST(host->lines.empty());
}

BOOST_AUTO_TEST_CASE(a_span_whose_host_has_come_or_gone_meanwhile_is_not_closed) {
  const auto host = std::make_shared<Kept>();
  {
    attach(host);
    const Span span(0, "call", {});
    detach();
  }
  {
    const Span span(0, "call", {});
    attach(host);
  }
  detach();
  BOOST_TEST((host->lines == Lines{"open call in 0 with 0"}));
}

BOOST_AUTO_TEST_CASE(a_host_that_takes_the_place_of_another_gets_each_record_once) {
  const auto first = std::make_shared<Kept>();
  const auto second = std::make_shared<Kept>();
  attach(first);
  attach(second);
  log(Level::info, "shell", "hello", {}, 0);
  detach();
  BOOST_TEST(first->lines.empty());
  BOOST_TEST((second->lines == Lines{"3 shell hello 0"}));
}

// The process has one core of Boost.Log, which the host may use, too.
BOOST_FIXTURE_TEST_CASE(records_of_others_are_not_passed_on, Attached) {
  for (const char* name : {"host", channel}) {
    boost::log::sources::severity_channel_logger<Level> logger(boost::log::keywords::channel = std::string(name));
    BOOST_LOG_SEV(logger, Level::error) << "from the host";
  }
  BOOST_TEST(host->lines.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace tracing_test
