// What is captured of a command's output: true byte counts, head and tail within the cap, valid UTF-8, bounded memory.
#include <boost/test/unit_test.hpp>

#include "support/shell_tool.h"

BOOST_AUTO_TEST_SUITE(output_test)

using namespace wtool::test;

namespace {

Json with_cap(std::size_t bytes) { return Json{{"output", {{"bytes", bytes}}}}; }

std::uint64_t count(const Answer& answer, const char* stream) {
  return answer.metadata().at(stream).get<std::uint64_t>();
}

// Makes a call in a fresh process, which measures itself.
Json measured(const std::string& command, int timeout) {
  const Json arguments{{"command", command}, {"timeout", timeout}};
  const Finished finished = run({std::string(WTOOL_TEST_HOSTS) + "/measured_host", arguments.dump()});
  BOOST_TEST_CONTEXT(finished.out << finished.err) { BOOST_REQUIRE(finished.exit_code == 0); }
  return Json::parse(finished.out);
}

void check_memory(const Json& measurement) {
  // Sanitizers keep freed memory for a while, so with them the figure means nothing.
  if (!under_sanitizer) BOOST_TEST(measurement.at("grown_kib").get<long>() < 8 * 1024);
}

}  // namespace

// Two MiB are kept, and their text in the result takes two more. One more copy would exceed the bound.
BOOST_AUTO_TEST_CASE(a_flood_on_both_streams_costs_less_than_three_times_what_is_kept) {
  const std::string flood = "head -c 20000000 /dev/zero | tr '\\0' a";
  const Json measurement = measured(flood + "; " + flood + " >&2", 60);
  if (!under_sanitizer) BOOST_TEST(measurement.at("grown_kib").get<long>() < 5 * 1024);
  const Json& metadata = measurement.at("result").at("metadata");
  for (const char* const stream : {"stdout", "stderr"}) {
    BOOST_TEST(metadata.at(stream).get<std::string>().size() > 1'048'576u);
    BOOST_TEST(metadata.at(std::string(stream) + "_bytes").get<long>() == 20'000'000);
  }
}

BOOST_AUTO_TEST_CASE(a_command_that_never_stops_writing) {
  const Json measurement = measured("yes", 2);
  check_memory(measurement);
  BOOST_TEST(measurement.at("took_ms").get<long>() >= 2000);
  BOOST_TEST(measurement.at("took_ms").get<long>() < within(3500).count());
  const Json& metadata = measurement.at("result").at("metadata");
  BOOST_TEST(metadata.at("error").at("code").get<std::string>() == "timed_out");
  const auto kept = metadata.at("partial_stdout").get<std::string>();
  BOOST_TEST((kept.rfind("y\ny\n", 0) == 0));
  BOOST_TEST((kept.substr(kept.size() - 4).find("y\n") != std::string::npos));
  BOOST_TEST(kept.size() <= 1'048'576u + 200);
  BOOST_TEST(kept.size() >= 1'000'000u);
  BOOST_TEST(metadata.at("stdout_bytes").get<std::uint64_t>() > 2'000'000u);
  BOOST_TEST((metadata.at("stdout_truncated") == Json(true)));
}

BOOST_AUTO_TEST_CASE(two_hundred_megabytes_that_are_not_text) {
  const int megabytes = under_sanitizer ? 20 : 200;
  const Json measurement = measured("head -c " + std::to_string(megabytes) + "M /dev/urandom", 120);
  check_memory(measurement);
  const Json& metadata = measurement.at("result").at("metadata");  // The result was valid JSON, so valid UTF-8.
  BOOST_TEST((metadata.at("exit_code") == Json(0)));
  BOOST_TEST(metadata.at("stdout_bytes").get<std::uint64_t>() == static_cast<std::uint64_t>(megabytes) << 20);
  BOOST_TEST((metadata.at("stdout_truncated") == Json(true)));
  BOOST_TEST(metadata.at("encoding").is_string());
}

BOOST_FIXTURE_TEST_CASE(byte_counts_are_exact, ShellTool) {
  for (const std::uint64_t bytes :
       {0ull, 1ull, 4095ull, 65'536ull, 65'537ull, 1'048'576ull, 1'048'577ull, 50'000'000ull}) {
    const Answer answer = tool.shell("head -c " + std::to_string(bytes) + " /dev/zero | tr '\\0' x");
    BOOST_TEST(count(answer, "stdout_bytes") == bytes);
    BOOST_TEST(count(answer, "stderr_bytes") == 0u);
    BOOST_TEST((answer.metadata().value("stdout_truncated", false) == (bytes > 1'048'576)));
    if (bytes <= 1'048'576) BOOST_TEST(answer.out().size() == bytes);
  }
}

BOOST_FIXTURE_TEST_CASE(each_stream_has_its_own_cap_and_count, ShellTool) {
  const ToolUnderTest small(plugin, with_cap(4096));
  const Answer answer = small.shell("head -c 10000 /dev/zero | tr '\\0' o; head -c 20 /dev/zero | tr '\\0' e >&2");
  BOOST_TEST(count(answer, "stdout_bytes") == 10'000u);
  BOOST_TEST(count(answer, "stderr_bytes") == 20u);
  BOOST_TEST((answer.metadata().at("stdout_truncated") == Json(true)));
  BOOST_TEST((answer.metadata().value("stderr_truncated", false) == false));
  BOOST_TEST(answer.err() == std::string(20, 'e'));
}

BOOST_FIXTURE_TEST_CASE(head_and_tail_are_kept_with_one_line_between, ShellTool) {
  const ToolUnderTest small(plugin, with_cap(4096));
  const Answer answer = small.shell("seq 1 100000");
  const std::string kept = answer.out();
  const std::string head = "1\n2\n3\n";
  const std::string tail = "99999\n100000\n";
  BOOST_TEST(kept.substr(0, head.size()) == head);
  BOOST_TEST(kept.substr(kept.size() - tail.size()) == tail);
  BOOST_TEST(kept.size() < 4096u + 200);
  // Exactly one line is not a number: the mark, which says how much is missing.
  int marks = 0;
  std::istringstream lines(kept);
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of("0123456789") != std::string::npos) ++marks;
  }
  BOOST_TEST(marks == 1);
  BOOST_TEST(count(answer, "stdout_bytes") == 588'895u);
}

BOOST_FIXTURE_TEST_CASE(output_that_just_fits_is_whole, ShellTool) {
  const ToolUnderTest small(plugin, with_cap(4096));
  const Answer fits = small.shell("head -c 4096 /dev/zero | tr '\\0' x");
  BOOST_TEST(fits.out() == std::string(4096, 'x'));
  BOOST_TEST((fits.metadata().value("stdout_truncated", false) == false));
  const Answer over = small.shell("head -c 4097 /dev/zero | tr '\\0' x");
  BOOST_TEST((over.metadata().at("stdout_truncated") == Json(true)));
  BOOST_TEST(count(over, "stdout_bytes") == 4097u);
}

BOOST_FIXTURE_TEST_CASE(a_cut_never_goes_through_a_character, ShellTool) {
  // The output has characters of two, three and four bytes, at all offsets from both ends. All of it is valid, so
  // nothing is replaced.
  for (const char* character : {"ä", "漢", "😀"}) {
    for (int offset = 0; offset < 4; ++offset) {
      for (const std::size_t cap : {4096u, 4097u, 4099u}) {
        const ToolUnderTest small(plugin, with_cap(cap));
        const std::string command = "printf '%" + std::to_string(offset) + "s' ''; yes " + character +
                                    " | head -n 20000 | tr -d '\\n'; printf '%" + std::to_string(offset / 2) + "s' ''";
        const Answer answer = small.shell(command);
        BOOST_TEST((answer.out().find("\xEF\xBF\xBD") == std::string::npos), character << offset << " " << cap);
        BOOST_TEST((answer.metadata().at("stdout_truncated") == Json(true)));
      }
    }
  }
}

BOOST_FIXTURE_TEST_CASE(a_character_split_between_writes_is_whole, ShellTool) {
  BOOST_TEST(tool.shell("printf '\\346\\274'; sleep 0.05; printf '\\242'").out() == "漢");
}

BOOST_FIXTURE_TEST_CASE(bytes_that_are_not_text_become_valid_text, ShellTool) {
  const Answer answer = tool.shell("printf 'a\\000b\\377c'");
  BOOST_TEST((answer.out() == std::string("a\0b\xEF\xBF\xBD"
                                          "c",
                                          7)),
             answer.raw);
  BOOST_TEST(count(answer, "stdout_bytes") == 5u);
  BOOST_TEST(answer.metadata().contains("encoding"));
}

BOOST_FIXTURE_TEST_CASE(malformed_utf8_of_every_kind_gives_a_valid_result, ShellTool) {
  // Overlong, surrogate, above the last character, a lone continuation, a truncated sequence at the end.
  for (const char* bytes : {"\\300\\200", "\\355\\240\\200", "\\364\\220\\200\\200", "\\200",
                            "\\370\\210\\200\\200\\200", "x\\342\\202", "\\360\\237\\230", "\\376\\377"}) {
    for (const char* stream : {"", " >&2"}) {
      const Answer answer = tool.shell(std::string("printf '") + bytes + "'" + stream);  // Throws if invalid.
      const std::string text = *stream == 0 ? answer.out() : answer.err();
      BOOST_TEST((text.find("\xEF\xBF\xBD") != std::string::npos), bytes);
    }
  }
}

BOOST_FIXTURE_TEST_CASE(colours_and_far_eastern_writing_are_text, ShellTool) {
  const Answer answer = tool.shell("printf '\\033[31mrot\\033[0m 漢字 😀 \\t\\r\\n'");
  BOOST_TEST(answer.out() == "\x1b[31mrot\x1b[0m 漢字 😀 \t\r\n");
}

BOOST_FIXTURE_TEST_CASE(a_line_without_end_is_kept_within_the_cap, ShellTool) {
  const Answer answer = tool.shell("head -c 30000000 /dev/zero | tr '\\0' x");
  BOOST_TEST(answer.out().size() < 1'048'576u + 200);
  BOOST_TEST(count(answer, "stdout_bytes") == 30'000'000u);
}

BOOST_FIXTURE_TEST_CASE(a_command_that_closes_its_output_early_keeps_running, ShellTool) {
  const Answer answer = tool.shell("echo a; exec >&- 2>&-; sleep 0.1; exit 4");
  BOOST_TEST(answer.out() == "a\n");
  BOOST_TEST(answer.exit_code() == 4);
}

BOOST_FIXTURE_TEST_CASE(both_streams_full_at_once_do_not_block_each_other, ShellTool) {
  const Answer answer =
      tool.shell("(head -c 5000000 /dev/zero | tr '\\0' e >&2) & head -c 5000000 /dev/zero | tr '\\0' o; wait");
  BOOST_TEST(count(answer, "stdout_bytes") == 5'000'000u);
  BOOST_TEST(count(answer, "stderr_bytes") == 5'000'000u);
}

BOOST_AUTO_TEST_SUITE_END()
