// The log filter, the two line formats, and the subscriber with several threads.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/escape.h"
#include "base/utf8.h"
#include "support/text.h"
#include "tracing/tracing.h"

using wtool::test::holds;

namespace wtool::host {

BOOST_AUTO_TEST_SUITE(host_tracing_test)

static LogFilter parsed(std::string_view text) {
  LogFilter filter(LogLevel::warn);
  std::string error;
  BOOST_REQUIRE_MESSAGE(filter.parse(text, error), error);
  return filter;
}

static std::string refused(std::string_view text) {
  LogFilter filter(LogLevel::warn);
  std::string error;
  BOOST_TEST_REQUIRE(!filter.parse(text, error));
  BOOST_TEST(filter.enabled(LogLevel::warn, "any"));
  BOOST_TEST(!filter.enabled(LogLevel::info, "any"));
  return error;
}

constexpr std::uint64_t some_time = 1767323045678000000;  // 2026-01-02T03:04:05.678Z

BOOST_AUTO_TEST_SUITE(filter)

BOOST_AUTO_TEST_CASE(a_level_applies_to_every_target) {
  const LogFilter filter = parsed("INFO");
  BOOST_TEST(filter.enabled(LogLevel::info, "a"));
  BOOST_TEST(filter.enabled(LogLevel::error, "b::c"));
  BOOST_TEST(!filter.enabled(LogLevel::debug, "a"));
}

BOOST_AUTO_TEST_CASE(off_keeps_nothing) {
  BOOST_TEST(!parsed("off").enabled(LogLevel::error, "a"));
  BOOST_TEST(!parsed("a=off").enabled(LogLevel::error, "a::b"));
}

BOOST_AUTO_TEST_CASE(the_longest_target_decides_whatever_the_order) {
  for (const char* text : {"info,a=debug,a::b=trace", "a::b=trace, a=debug ,info"}) {
    const LogFilter filter = parsed(text);
    BOOST_TEST(filter.enabled(LogLevel::trace, "a::b::c"));
    BOOST_TEST(filter.enabled(LogLevel::debug, "a::x"));
    BOOST_TEST(!filter.enabled(LogLevel::trace, "a"));
    BOOST_TEST(!filter.enabled(LogLevel::debug, "c"));
  }
}

BOOST_AUTO_TEST_CASE(a_target_is_not_a_mere_beginning_of_a_name) {
  const LogFilter filter = parsed("shell=trace");
  BOOST_TEST(!filter.enabled(LogLevel::trace, "shell_tools"));
  BOOST_TEST(filter.enabled(LogLevel::trace, "shell::tools"));
}

BOOST_AUTO_TEST_CASE(without_a_level_for_all_the_default_applies) {
  const LogFilter filter = parsed("a=trace");
  BOOST_TEST(filter.enabled(LogLevel::warn, "b"));
  BOOST_TEST(!filter.enabled(LogLevel::info, "b"));
}

BOOST_AUTO_TEST_CASE(the_later_of_two_directives_counts) {
  BOOST_TEST(!parsed("a=trace,a=info").enabled(LogLevel::debug, "a"));
  BOOST_TEST(!parsed("trace,info").enabled(LogLevel::debug, "a"));
}

BOOST_AUTO_TEST_CASE(a_wrong_directive_is_named_with_what_is_allowed) {
  for (const char* text : {"debgu", "info,debgu", "a=debgu", "=debug", "a b=info", "info,", "", "3", "a=b=info"}) {
    const std::string error = refused(text);
    BOOST_TEST(holds(error, "off, error, warn, info, debug and trace"), text);
  }
  BOOST_TEST(holds(refused("info,debgu"), "\"debgu\""));
  BOOST_TEST(holds(refused("\x1b[2J"), "\"\\x1b[2J\""));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(lines)

BOOST_AUTO_TEST_CASE(a_record_in_no_span_is_time_level_target_message_and_fields) {
  const std::vector<LogField> fields{{"program", "\"ls\""}, {"count", "3"}, {"text", "\"a b\""}};
  const LogRecord record{.level = LogLevel::info,
                         .unix_ns = some_time,
                         .target = "shell_tools::call",
                         .message = "started",
                         .fields = fields};
  BOOST_TEST(text_line(record, nullptr) ==
             "2026-01-02T03:04:05.678Z  INFO shell_tools::call: started program=ls count=3 text=\"a b\"\n");
}

BOOST_AUTO_TEST_CASE(spans_come_before_the_target_outermost_first) {
  const auto outer = std::make_shared<LogSpan>(LogSpan{.name = "run", .fields = {}, .parent = nullptr});
  const LogSpan inner{.name = "call", .fields = {{"tool", "\"echo\""}, {"id", "7"}}, .parent = outer};
  const LogRecord record{.level = LogLevel::error, .unix_ns = some_time, .target = "t", .message = "m"};
  BOOST_TEST(text_line(record, &inner) == "2026-01-02T03:04:05.678Z ERROR run:call{tool=echo id=7}: t: m\n");
}

BOOST_AUTO_TEST_CASE(nothing_in_a_record_breaks_the_line_or_reaches_the_terminal) {
  const std::vector<LogField> fields{{"key\n", "\"\\u001b[2J\""}, {"bad", "not json\r\n"}, {"wide", "{\n\"a\" : 1}"}};
  const LogRecord record{.level = LogLevel::warn,
                         .unix_ns = some_time,
                         .target = "t\x1b",
                         .message =
                             "one\ntwo\t\x1b[31m\x7f\xff\xc2\x9b"
                             "31m \xe2\x80\xae \\ \xe6\xbc\xa2",
                         .fields = fields};
  const std::string line = text_line(record, nullptr);
  BOOST_TEST(line ==
             "2026-01-02T03:04:05.678Z  WARN t\\x1b: one\\ntwo\\t\\x1b[31m\\x7f\\xff\\u009b31m \\u202e \\ \xe6\xbc\xa2 "
             "key\\n=\"\\u001b[2J\" bad=\"not json\\r\\n\" wide={\"a\":1}\n");
}

BOOST_AUTO_TEST_CASE(a_json_line_has_everything_in_its_place) {
  const auto outer =
      std::make_shared<LogSpan>(LogSpan{.name = "run", .fields = {{"file", "\"w.md\""}}, .parent = nullptr});
  const LogSpan inner{.name = "call", .fields = {{"id", "7"}}, .parent = outer};
  const std::vector<LogField> fields{{"n", "1.5"}, {"list", "[1, 2]"}, {"bad", "oops"}};
  const LogRecord record{
      .level = LogLevel::debug, .unix_ns = some_time, .target = "t", .message = "two\nlines \xff", .fields = fields};
  const std::string line = json_line(record, &inner);
  BOOST_TEST(std::count(line.begin(), line.end(), '\n') == 1);
  const auto expected = nlohmann::json::parse(R"({
    "timestamp": "2026-01-02T03:04:05.678Z", "level": "DEBUG", "target": "t", "message": "two\nlines \ufffd",
    "fields": {"n": 1.5, "list": [1, 2], "bad": "oops"},
    "span": {"name": "call", "id": 7}, "spans": [{"name": "run", "file": "w.md"}, {"name": "call", "id": 7}]})");
  BOOST_TEST(nlohmann::json::parse(line) == expected);
}

BOOST_AUTO_TEST_CASE(text_that_is_not_utf8_is_detected) {
  BOOST_TEST(is_utf8("a\xc3\xa4\xe6\xbc\xa2\xf0\x9f\x98\x80"));
  for (const char* text : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\x80"}) {
    BOOST_TEST(!is_utf8(text));
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(subscriber)

// Both ends of a pipe that has room for what the tests below write.
struct Pipe {
  Pipe() { BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    close_writer();
  }
  void close_writer() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  std::string all() {
    close_writer();
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<size_t>(got));
    return text;
  }
  int ends[2] = {-1, -1};
};

BOOST_AUTO_TEST_CASE(what_the_filter_holds_back_is_not_written) {
  Pipe pipe;
  Tracing tracing(parsed("warn,a=info"), LogFormat::text, pipe.ends[1]);
  tracing.log(LogLevel::info, "b", "hidden");
  tracing.log(LogLevel::info, "a", "shown");
  const std::string text = pipe.all();
  BOOST_TEST(holds(text, " INFO a: shown\n"));
  BOOST_TEST(!holds(text, "hidden"));
}

BOOST_AUTO_TEST_CASE(a_span_lives_as_long_as_its_child_and_no_longer_counts_when_closed) {
  Pipe pipe;
  Tracing tracing(parsed("info"), LogFormat::text, pipe.ends[1]);
  const auto outer = tracing.open_span(0, "outer", {});
  const auto inner = tracing.open_span(outer, "inner", {});
  BOOST_TEST(outer != 0u);
  BOOST_TEST(inner != outer);
  tracing.close_span(outer);
  tracing.emit({.level = LogLevel::info, .target = "t", .message = "m", .span = inner});
  tracing.emit({.level = LogLevel::info, .target = "t", .message = "late", .span = outer});
  tracing.close_span(inner);
  tracing.close_span(inner);
  tracing.close_span(0);
  BOOST_TEST(tracing.open_spans() == 0u);
  const std::string text = pipe.all();
  BOOST_TEST(holds(text, " INFO outer:inner: t: m\n"));
  BOOST_TEST(holds(text, " INFO t: late\n"));
}

BOOST_AUTO_TEST_CASE(lines_of_many_threads_do_not_mix) {
  constexpr int threads = 8;
  constexpr int lines = 100;
  Pipe pipe;
  std::string text;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t got; (got = ::read(pipe.ends[0], buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<size_t>(got));
  });
  {
    Tracing tracing(parsed("trace"), LogFormat::json, pipe.ends[1]);
    std::vector<std::thread> writers;
    for (int i = 0; i < threads; ++i) {
      writers.emplace_back([&tracing, i] {
        // The message is longer than what a pipe accepts in one piece.
        const std::string message(6000, static_cast<char>('a' + i));
        for (int n = 0; n < lines; ++n) {
          const auto span = tracing.open_span(0, "s", {});
          tracing.emit({.level = LogLevel::trace, .target = "t", .message = message, .span = span});
          tracing.close_span(span);
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
  }
  pipe.close_writer();
  reader.join();
  int count = 0;
  for (std::size_t from = 0; from < text.size(); ++count) {
    const std::size_t end = text.find('\n', from);
    BOOST_TEST_REQUIRE(end != std::string::npos);
    const auto line = nlohmann::json::parse(text.substr(from, end - from), nullptr, false);
    BOOST_TEST_REQUIRE(line.is_object());
    const std::string message = line["message"];
    BOOST_TEST_REQUIRE(message == std::string(6000, message[0]));
    from = end + 1;
  }
  BOOST_TEST(count == threads * lines);
}

BOOST_AUTO_TEST_CASE(a_format_that_does_not_exist_is_named) {
  LogFormat format = LogFormat::text;
  std::string error;
  BOOST_TEST(parse_log_format("json", format, error));
  BOOST_TEST((format == LogFormat::json));
  BOOST_TEST(!parse_log_format("xml", format, error));
  BOOST_TEST(holds(error, "\"xml\""));
  BOOST_TEST(holds(error, "text and json"));
}

BOOST_AUTO_TEST_CASE(secrets_of_a_run_are_masked_in_messages_fields_and_spans) {
  std::string lines, heard;
  Tracing tracing(LogFilter(LogLevel::info), LogFormat::text, [&](std::string_view line) { lines += line; });
  tracing.observe(LogLevel::info, [&](const LogRecord& record, const LogSpan* span) {
    heard += std::string(record.message) + std::string(record.fields[0].json) + span->fields[0].second +
             span->parent->fields[0].second;
  });
  const LogField field{"path", "\"/none/hunter2\""};
  const std::uint64_t outer = tracing.open_span(0, "run", {{field}});
  const std::uint64_t inner = tracing.open_span(outer, "step", {{field}});
  const auto say = [&] {
    tracing.emit({.level = LogLevel::warn, .target = "t", .message = "no hunter2", .fields = {{field}}, .span = inner});
  };
  {
    const auto hidden = tracing.hide([](std::string_view text) {
      std::string out(text);
      for (std::size_t at; (at = out.find("hunter2")) != std::string::npos;) out.replace(at, 7, "***");
      return out;
    });
    say();
  }
  BOOST_TEST(!holds(lines + heard, "hunter2"), lines + heard);
  BOOST_TEST(holds(lines, "no ***"), lines);
  BOOST_TEST(holds(lines, "/none/***"), lines);
  say();  // the run is over
  BOOST_TEST(holds(lines, "no hunter2"), lines);
  tracing.observe(LogLevel::off, {});
}

BOOST_AUTO_TEST_CASE(an_observer_hears_from_its_own_level_on_whatever_the_filter_says) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Tracing tracing(LogFilter(LogLevel::error), LogFormat::text, nowhere);
  std::vector<std::string> heard;
  tracing.log(LogLevel::info, "t", "before");
  tracing.observe(LogLevel::info, [&](const LogRecord& record, const LogSpan* span) {
    heard.push_back(std::string(record.message) + (span == nullptr ? "" : " in " + span->name));
  });
  BOOST_TEST(tracing.enabled(LogLevel::info, "t"));
  BOOST_TEST(!tracing.enabled(LogLevel::debug, "t"));
  tracing.log(LogLevel::debug, "t", "too little");
  const std::uint64_t span = tracing.open_span(0, "call", {});
  tracing.emit({.level = LogLevel::warn, .target = "t", .message = "heard", .span = span});
  tracing.close_span(span);
  tracing.observe(LogLevel::off, {});
  BOOST_TEST(!tracing.enabled(LogLevel::info, "t"));
  tracing.log(LogLevel::error, "t", "after");
  BOOST_TEST(heard == std::vector<std::string>{"heard in call"});
  ::close(nowhere);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
