// Outputs that are kept while the server runs, what output_read shows of them, which clients wait longer, and the
// argument `background`.
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

#include "mcp/jobs.h"
#include "mcp/output.h"
#include "mcp/output_read.h"
#include "mcp/output_store.h"
#include "mcp/results.h"
#include "support/text.h"

using wtool::test::holds;

namespace wtool::host::mcp {

using nlohmann::json;

namespace {

constexpr auto out = OutputStream::standard_output;
constexpr auto err = OutputStream::standard_error;
constexpr std::size_t block = 65536;

std::string letters(std::size_t bytes) {
  std::string text(bytes, ' ');
  for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

// The answer of output_read.
std::string answer(const OutputStore& store, const json& arguments, bool is_error = false) {
  static const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Output output(nowhere, [] {});
  CallProgress progress(output);
  CallProgress::Reports reports(progress, "");
  ClientCall call;
  call.arguments = arguments.dump();
  const json result = output_read_tool(store, 1024).answer(call, reports);
  BOOST_TEST(result.at("isError") == is_error, result.dump());
  return result.at("content")[0].at("text");
}

// The open files of this process that are in the temporary folders.
std::set<std::string> open_temporary_files() {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
    if (target.starts_with("/tmp/") || target.starts_with("/var/tmp/")) files.insert(target);
  }
  return files;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mcp_outputs)

BOOST_AUTO_TEST_CASE(each_stream_is_kept_byte_for_byte) {
  OutputStore store(10 * block);
  const auto output = store.open();
  const std::string text = letters(3 * block + 17);
  for (std::size_t at = 0; at < text.size(); at += 1000) {
    output->add(out, std::string_view(text).substr(at, 1000));
    output->add(err, "x");
  }
  BOOST_TEST(output->size(out).written == text.size());
  BOOST_TEST(output->size(out).lost() == 0U);
  BOOST_TEST((output->read(out, 0, text.size() + 10) == text));
  BOOST_TEST(output->read(out, block - 3, 6) == text.substr(block - 3, 6));
  BOOST_TEST(output->read(out, text.size(), 6).empty());
  BOOST_TEST(output->size(err).written == (text.size() + 999) / 1000);
}

BOOST_AUTO_TEST_CASE(an_output_has_no_name_in_any_folder) {
  // The program that starts the tests may pass on an open file, as ctest does with its log.
  const std::set<std::string> before = open_temporary_files();
  OutputStore store(10 * block);
  store.open()->add(out, "secret");
  for (const std::string& target : open_temporary_files()) {
    if (!before.contains(target)) BOOST_TEST(target.ends_with(" (deleted)"), target);
  }
}

BOOST_AUTO_TEST_CASE(outputs_are_kept_whatever_the_folder_for_temporary_files_is) {
  const char* const set = std::getenv("TMPDIR");
  const std::string before = set == nullptr ? "" : set;
  for (const char* folder : {"/proc", "/nonexistent", "/dev/null", "/tmp/\xff\xfe", "relative", ""}) {
    ::setenv("TMPDIR", folder, 1);
    OutputStore store(10 * block);
    const auto output = store.open();
    output->add(out, letters(2 * block));
    BOOST_TEST(output->size(out).lost() == 0U, folder);
    BOOST_TEST((output->read(out, 0, 2 * block) == letters(2 * block)), folder);
  }
  set == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before.c_str(), 1);
}

BOOST_AUTO_TEST_CASE(the_oldest_that_nobody_holds_makes_room) {
  OutputStore store(3 * block);
  const auto make = [&] {
    const auto output = store.open();
    output->add(out, letters(block));
    return output;
  };
  const auto held = make();
  const int first = store.number(held);
  BOOST_TEST(store.number(held) == first);
  const int second = store.number(make());
  const int third = store.number(make());
  const int fourth = store.number(make());
  BOOST_TEST(store.find(first) == held);
  BOOST_TEST(store.find(second) == nullptr);
  BOOST_TEST(store.was_there(second));
  BOOST_TEST(!store.was_there(fourth + 1));
  BOOST_TEST((store.find(third)->read(out, 0, block) == letters(block)));
  BOOST_TEST((store.find(fourth)->read(out, 0, block) == letters(block)));
  BOOST_TEST(answer(store, {{"output", second}}, true) ==
             "output 2 is no longer kept: newer outputs have taken its place (mcp.stored_bytes)");
}

BOOST_AUTO_TEST_CASE(what_finds_no_room_takes_the_place_of_the_middle) {
  OutputStore store(4 * block);
  const auto output = store.open();
  const std::string all = letters(9 * block + 100);
  for (std::size_t at = 0; at < all.size(); at += 1000) output->add(out, std::string_view(all).substr(at, 1000));
  const auto size = output->size(out);
  BOOST_TEST(size.written == all.size());
  BOOST_TEST(size.gap_begin == 2 * block);
  BOOST_TEST(size.gap_end == 8 * block);
  BOOST_TEST((output->read(out, 0, all.size()) == all.substr(0, 2 * block)));
  BOOST_TEST((output->read(out, 8 * block, all.size()) == all.substr(8 * block)));
  BOOST_TEST(output->read(out, 8 * block - 1, 100).empty());
  output->end();
  store.number(output);
  const std::string gap = "; bytes 131072 to 524288 were not kept (mcp.stored_bytes)]";
  const auto shown = [&](json more) {
    more["output"] = 1;
    return answer(store, more);
  };
  // The answer ends at the gap, and the next one begins after it.
  BOOST_TEST(shown({{"offset", 131062}}) ==
             all.substr(131062, 10) + "\n[stdout, bytes 131062 to 131072 of 589924; offset 524288 continues" + gap);
  BOOST_TEST(shown({{"offset", 131072}}) ==
             all.substr(524288, 1024) +
                 "\n[stdout, bytes 524288 to 525312 of 589924; the last line is not complete; offset 525312 continues" +
                 gap);
  BOOST_TEST(shown({{"offset", 589914}}) == all.substr(589914) + "\n[stdout, bytes 589914 to 589924 of 589924" + gap);
  BOOST_TEST(shown({{"tail", 1}}) == all.substr(589924 - 1024) + "\n[stdout, bytes 588900 to 589924 of 589924" +
                                         "; fewer lines than asked for, because no more bytes fit" + gap);
}

BOOST_AUTO_TEST_CASE(a_search_across_the_gap_names_it_and_joins_no_lines) {
  OutputStore store(4 * block);
  const auto output = store.open();
  std::string all;
  for (int i = 0; all.size() < 9 * block; ++i) all += "line " + std::to_string(100000 + i) + '\n';  // 12 bytes each
  output->add(out, all);
  store.number(output);
  const auto size = output->size(out);
  BOOST_REQUIRE(size.lost() > 0U);
  // The gap cuts a line in two: its first half is not joined with the second half of another one.
  const std::uint64_t half = size.gap_begin - size.gap_begin % 12;
  const std::string first_half = all.substr(half, size.gap_begin - half);
  const std::uint64_t later = size.gap_end - size.gap_end % 12 + 12;
  const std::string later_line = all.substr(later, 11);
  const std::string gap =
      "bytes " + std::to_string(size.gap_begin) + " to " + std::to_string(size.gap_end) + " were not kept";
  const std::string end = std::to_string(all.size());
  BOOST_TEST(answer(store, {{"output", 1}, {"grep", "^" + first_half + "$|^" + later_line + "$"}}) ==
             std::to_string(half) + ":" + first_half + "\n[" + gap + "]\n" + std::to_string(later) + ":" + later_line +
                 "\n[stdout, bytes 0 to " + end + " of " + end + "; " + gap + " (mcp.stored_bytes)]");
}

BOOST_AUTO_TEST_CASE(errors_get_room_from_the_output_before_them) {
  OutputStore store(4 * block);
  const auto output = store.open();
  output->add(out, letters(4 * block));
  output->add(err, "why\n");
  BOOST_TEST(output->read(err, 0, 100) == "why\n");
  BOOST_TEST(output->size(err).lost() == 0U);
  BOOST_TEST(output->size(out).gap_begin == 2 * block);
  BOOST_TEST(output->size(out).gap_end == 3 * block);
  BOOST_TEST((output->read(out, 3 * block, block) == letters(4 * block).substr(3 * block)));
}

BOOST_AUTO_TEST_CASE(the_end_does_not_begin_within_a_character) {
  for (const std::string begin : {"", "a", "ab"}) {
    OutputStore store(4 * block);
    const auto output = store.open();
    std::string all = begin;
    while (all.size() < 9 * block) all += "漢";
    output->add(out, all);
    const auto size = output->size(out);
    BOOST_TEST(size.lost() >= 5 * block);
    BOOST_TEST((size.gap_end - begin.size()) % 3 == 0U);
  }
}

BOOST_AUTO_TEST_CASE(bytes_that_nothing_makes_room_for_are_counted) {
  OutputStore store(2 * block);
  const auto hog = store.open();
  hog->add(out, letters(2 * block));
  const auto output = store.open();
  output->add(out, letters(100));
  store.number(output);
  BOOST_TEST(answer(store, {{"output", 1}}) ==
             "[stdout, bytes 100 to 100 of 100; bytes 0 to 100 were not kept (mcp.stored_bytes)]");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_written_is_not_offered_and_the_reason_is_said) {
  OutputStore store(10 * block);
  const auto output = store.open();
  {
    // Files of this process cannot become larger, as on a full disk.
    const auto handler = ::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    BOOST_REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
    rlimit limit = before;
    limit.rlim_cur = block;
    BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    output->add(out, letters(2 * block));
    BOOST_REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
    ::signal(SIGXFSZ, handler);
  }
  BOOST_TEST(output->size(out).lost() == block);
  const int number = store.number(output);
  const std::string why = "(writing failed: File too large)";
  // Of the bytes from 65536 on, the text below shows the last four.
  const std::string lost = "65532 bytes were not kept " + why;
  BOOST_TEST(answer(store, {{"output", number}, {"offset", 2 * block}}) ==
             "[stdout, bytes 131072 to 131072 of 131072; bytes 65536 to 131072 were not kept " + why + "]");
  ToolDescription shell;
  shell.id = "shell_execute";
  const auto shown = [&](std::size_t head) {
    OrderedOutcome outcome;
    outcome.kind = ToolOutcome::Kind::finished;
    outcome.result["metadata"] = {{"stdout", letters(head) + "\n[... 9 bytes left out ...]\nend\n"},
                                  {"stdout_truncated", true},
                                  {"stdout_bytes", 2 * block},
                                  {"encoding", "utf-8"},
                                  {"exit_code", 0}};
    const ResultSettings settings{.output_bytes = 4 * block, .style = ResultStyle::text, .has_output_read = true};
    const json result = call_result(
        shell, std::move(outcome), settings, [&] { return number; }, output.get());
    const std::string text = result.at("content")[0].at("text");
    return text.substr(text.rfind('['));
  };
  BOOST_TEST(shown(100) ==
             "[exit 0; stdout had 131072 bytes; the rest: output_read {\"output\":1,\"offset\":100}; " + lost + "]");
  BOOST_TEST(shown(block + 1) == "[exit 0; stdout had 131072 bytes; 65531 bytes were not kept " + why + "]");
}

BOOST_AUTO_TEST_CASE(room_is_given_back) {
  OutputStore store(3 * block);
  for (int i = 0; i < 100; ++i) {
    const auto output = store.open();
    output->add(err, letters(3 * block));
    BOOST_TEST(output->size(err).lost() == 0U);
  }
}

BOOST_AUTO_TEST_CASE(no_character_is_cut) {
  OutputStore store(3 * block);
  const auto output = store.open();
  output->add(out, "a\u00e4\u6f22\U0001f600\xff\x80");
  for (const auto& [offset, begin] :
       {std::pair{0, 0}, {1, 1}, {2, 1}, {3, 3}, {4, 3}, {5, 3}, {6, 6}, {7, 6}, {9, 6}, {10, 10}, {12, 12}}) {
    BOOST_TEST(output->between_characters(out, static_cast<std::uint64_t>(offset)) == static_cast<std::uint64_t>(begin),
               offset);
  }
}

BOOST_AUTO_TEST_CASE(parts_are_read_by_offset_lines_end_and_pattern) {
  OutputStore store(10 * block);
  const auto output = store.open();
  output->add(out, "one\ntwo\nthree\nno end");
  output->end();
  store.number(output);
  const auto shown = [&](json more) {
    more["output"] = 1;
    return answer(store, more);
  };
  BOOST_TEST(shown({{"offset", 4}}) == "two\nthree\nno end\n[stdout, bytes 4 to 20 of 20]");
  BOOST_TEST(shown({{"offset", 100}}) == "[stdout, bytes 20 to 20 of 20]");
  BOOST_TEST(shown({{"offset", 4}, {"lines", 1}}) == "two\n[stdout, bytes 4 to 8 of 20; offset 8 continues]");
  BOOST_TEST(shown({{"tail", 1}}) == "no end\n[stdout, bytes 14 to 20 of 20]");
  BOOST_TEST(shown({{"tail", 2}}) == "three\nno end\n[stdout, bytes 8 to 20 of 20]");
  BOOST_TEST(shown({{"tail", 99}}) == "one\ntwo\nthree\nno end\n[stdout, bytes 0 to 20 of 20]");
  BOOST_TEST(shown({{"grep", "^t|end$"}}) == "4:two\n8:three\n14:no end\n[stdout, bytes 0 to 20 of 20]");
  BOOST_TEST(shown({{"grep", "four"}}) == "[stdout, bytes 0 to 20 of 20; no line matches]");
  BOOST_TEST(shown({{"grep", "o"}, {"lines", 1}}) == "0:one\n[stdout, bytes 0 to 4 of 20; offset 4 continues]");
  BOOST_TEST(shown({{"grep", "o"}, {"offset", 4}, {"lines", 1}}) ==
             "4:two\n[stdout, bytes 4 to 8 of 20; offset 8 continues]");
  BOOST_TEST(shown({{"stream", "stderr"}}) == "[stderr, bytes 0 to 0 of 0]");
}

BOOST_AUTO_TEST_CASE(a_search_says_that_the_last_line_is_not_complete_yet) {
  OutputStore store(10 * block);
  const auto output = store.open();
  output->add(out, "test 1 ok\ntest 2 o");
  store.number(output);
  const auto found = [&](const std::string& pattern, std::uint64_t offset = 0) {
    return answer(store, {{"output", 1}, {"grep", pattern}, {"offset", offset}});
  };
  const std::string not_yet = "[stdout, bytes 0 to 10 of 18; the last line is not complete yet; offset 10 continues]";
  BOOST_TEST(found("o$") == "10:test 2 o\n" + not_yet);
  BOOST_TEST(found("ok$") == "0:test 1 ok\n" + not_yet);
  BOOST_TEST(found("ok$", 10) ==
             "[stdout, bytes 10 to 10 of 18; no line matches; the last line is not complete yet; "
             "offset 10 continues]");
  output->add(out, "k");
  output->end();
  BOOST_TEST(found("o$", 10) == "[stdout, bytes 10 to 19 of 19; no line matches]");
  BOOST_TEST(found("ok$", 10) == "10:test 2 ok\n[stdout, bytes 10 to 19 of 19]");
}

BOOST_AUTO_TEST_CASE(a_line_that_is_complete_needs_no_remark_even_while_the_command_writes) {
  OutputStore store(10 * block);
  const auto output = store.open();
  output->add(out, "test 1 ok\n");
  store.number(output);
  BOOST_TEST(answer(store, {{"output", 1}, {"grep", "ok$"}}) == "0:test 1 ok\n[stdout, bytes 0 to 10 of 10]");
}

BOOST_AUTO_TEST_CASE(an_answer_is_bounded_and_says_where_to_continue) {
  OutputStore store(10 * block);
  const auto output = store.open();
  output->add(out, letters(5000) + '\n' + letters(2 * block));
  store.number(output);
  BOOST_TEST(answer(store, {{"output", 1}}) ==
             letters(1024) +
                 "\n[stdout, bytes 0 to 1024 of 136073; the last line is not complete; offset 1024 continues]");
  const std::string found = answer(store, {{"output", 1}, {"grep", "xyz"}});
  BOOST_TEST(found.size() < 2200U);
  BOOST_TEST(found.starts_with("0:abc"));
}

BOOST_AUTO_TEST_CASE(pages_end_after_a_line_so_that_they_can_be_joined) {
  OutputStore store(10 * block);
  const auto output = store.open();
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "line " + std::to_string(i) + "\n";
  output->add(out, lines);
  output->end();
  store.number(output);
  std::string all;
  for (std::size_t offset = 0; offset < lines.size();) {
    const std::string page = answer(store, {{"output", 1}, {"offset", offset}});
    const std::size_t last = page.rfind('[');
    BOOST_REQUIRE(last > 0U);
    BOOST_TEST(!holds(page, "not complete"), page);
    all.append(page, 0, last);
    offset += last;
  }
  BOOST_TEST((all == lines));
}

BOOST_AUTO_TEST_CASE(the_end_of_what_a_running_command_has_written_says_that_its_line_is_not_complete_yet) {
  OutputStore store(10 * block);
  const auto output = store.open();
  output->add(out, "one\nGo on? ");
  store.number(output);
  const std::string shown = "[stdout, bytes 0 to 11 of 11; the last line is not complete yet]";
  BOOST_TEST(answer(store, {{"output", 1}}) == "one\nGo on? \n" + shown);
  BOOST_TEST(answer(store, {{"output", 1}, {"tail", 9}}) == "one\nGo on? \n" + shown);
  BOOST_TEST(answer(store, {{"output", 1}, {"lines", 1}}) == "one\n[stdout, bytes 0 to 4 of 11; offset 4 continues]");
  output->end();
  BOOST_TEST(answer(store, {{"output", 1}}) == "one\nGo on? \n[stdout, bytes 0 to 11 of 11]");
}

BOOST_AUTO_TEST_CASE(a_very_long_line_is_searched_whole_although_in_pieces) {
  OutputStore store(64 * block);
  const auto output = store.open();
  output->add(out, letters((1 << 20) - 6) + "ERROR-NEEDLE" + letters(1 << 20) + '\n');
  store.number(output);
  const std::string found = answer(store, {{"output", 1}, {"grep", "ERROR-NEEDLE"}});
  BOOST_TEST(found.starts_with("983040:"), found);  // where the second piece begins
  BOOST_TEST(holds(found, "; lines of more than 1 MiB were searched in pieces, as if each were a line"), found);
}

BOOST_AUTO_TEST_CASE(the_last_lines_begin_with_a_whole_one) {
  OutputStore store(64 * block);
  const auto output = store.open();
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += "line " + std::to_string(1000 + i) + "\n";
  output->add(out, lines);
  store.number(output);
  const std::string shown = answer(store, {{"output", 1}, {"tail", 400}});
  BOOST_TEST(shown.starts_with("line 1"), shown);
  BOOST_TEST(shown.ends_with("of 5000; fewer lines than asked for, because no more bytes fit]"), shown);
}

BOOST_AUTO_TEST_CASE(without_standard_output_the_errors_are_read) {
  OutputStore store(10 * block);
  const auto output = store.open();
  output->add(err, "bad\n");
  store.number(output);
  BOOST_TEST(answer(store, {{"output", 1}}) == "bad\n[stderr, bytes 0 to 4 of 4]");
}

BOOST_AUTO_TEST_CASE(a_client_that_gets_progress_waits_longer_unless_it_is_codex) {
  ClientCall call;
  BOOST_TEST(!waits_for_progress(call));
  call.progress_token = "1";
  call.client = "opencode";
  BOOST_TEST(waits_for_progress(call));
  call.client = "codex-mcp-client";
  BOOST_TEST(!waits_for_progress(call));
}

BOOST_AUTO_TEST_CASE(background_is_taken_out_of_the_arguments) {
  const auto taken = [](const json& arguments) { return take_background(arguments.dump()); };
  BOOST_TEST(!taken({{"command", "ls"}}).is_given);
  BOOST_TEST(!taken({{"command", "echo \"background\""}}).is_given);
  const BackgroundRequest wanted = taken({{"command", "ls"}, {"background", true}});
  BOOST_TEST(wanted.wanted);
  BOOST_TEST(wanted.arguments == "{\"command\":\"ls\"}");
  const BackgroundRequest unwanted = taken({{"command", "ls"}, {"background", false}});
  BOOST_TEST(unwanted.is_given);
  BOOST_TEST(!unwanted.wanted);
  BOOST_TEST(taken({{"background", 1}}).problem == "background must be true or false, but is 1; nothing has been run");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
