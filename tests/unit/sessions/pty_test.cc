// A terminal by itself: the test makes the calls that the run of its command would make.
#include "sessions/pty.h"

#include <poll.h>

#include <boost/test/unit_test.hpp>
#include <new>

using std::chrono::milliseconds;
using wtool::Pty;
using wtool::PtyEnd;
using wtool::engine::Cancellation;

BOOST_AUTO_TEST_CASE(a_program_that_has_not_started_is_not_idle) {
  Pty pty("pty-1", "sh", {}, std::chrono::milliseconds(0));
  pty.terminal().look();
  BOOST_TEST((pty.cancellation().mode() == Cancellation::Mode::none));
  pty.terminal().started();
  pty.terminal().look();
  BOOST_TEST((pty.cancellation().mode() == Cancellation::Mode::graceful));
}

BOOST_AUTO_TEST_CASE(a_wait_for_the_end_of_a_terminal_that_could_not_be_run_says_so) {
  wtool::Ptys all;
  const auto pty = all.create("sh", {}, std::chrono::milliseconds(1000), 1);
  BOOST_REQUIRE(pty);
  pty->request_end(Cancellation::Mode::graceful, "pty_stop");
  pty->fail();
  BOOST_TEST(pty->wait_end().how == "not started");
  BOOST_TEST(pty->wait_for_start());
  all.end();
  BOOST_TEST(all.all().empty());
}

BOOST_AUTO_TEST_CASE(a_run_without_memory_ends_its_terminal) {
  Pty pty("pty-1", "sh", {}, std::chrono::milliseconds(1000));
  pty.run([]() -> PtyEnd { throw std::bad_alloc(); });
  BOOST_TEST(pty.wait_end().how == "it was lost");
}

BOOST_AUTO_TEST_CASE(a_terminal_that_is_no_longer_used_ends_its_program) {
  std::string reason;
  {
    Pty pty("pty-1", "sh", {}, milliseconds(1000));
    pty.run([&]() -> PtyEnd {
      pollfd cancelled{pty.cancellation().descriptor(), POLLIN, 0};
      ::poll(&cancelled, 1, -1);
      reason = pty.cancellation().reason();
      return {.how = "cancelled", .exit_code = {}, .signal = {}, .unkillable = {}};
    });
  }
  BOOST_TEST(reason == "the terminal is no longer used");
}

// The program asks its terminal what it is, and nobody is left to whom the answer could be given.
BOOST_AUTO_TEST_CASE(a_question_to_a_terminal_that_was_closed_is_not_answered) {
  Pty pty("pty-1", "sh", {}, milliseconds(1000));
  pty.terminal().hang_up();
  pty.terminal().take("\x1b[c");
  BOOST_TEST(pty.mark().shown == 1U);
}

BOOST_AUTO_TEST_CASE(a_text_that_had_left_the_screen_before_is_not_seen_again) {
  Pty pty("pty-1", "sh", {.rows = 2, .columns = 10}, milliseconds(1000));
  pty.terminal().take("old\r\na\r\nb\r\n");
  const Cancellation nobody;
  const auto wait = [&](const std::string& text, Pty::Mark since) {
    return pty.wait({since, text, milliseconds(0), Pty::Clock::now()}, nobody);
  };
  const Pty::Mark mark = pty.mark();
  BOOST_TEST((wait("old", {}) == Pty::Seen::text));
  BOOST_TEST((wait("old", mark) == Pty::Seen::time));
  pty.terminal().take("new\r\nc\r\nd\r\n");
  BOOST_TEST((wait("old", mark) == Pty::Seen::time));
  BOOST_TEST((wait("new", mark) == Pty::Seen::text));
}

namespace {

// How `text` is seen if `typed` is typed after the program has shown `before`, and the program then shows `shown`.
Pty::Seen seen_after(std::string_view before, const std::string& typed, std::string_view shown, const std::string& text,
                     wtool::screen::Size size = {}) {
  Pty pty("pty-1", "sh", size, milliseconds(1000));
  pty.terminal().take(before);
  const Pty::Mark since = pty.mark(text);
  pty.terminal().take(shown);
  const Cancellation nobody;
  return pty.wait({since, text, milliseconds(0), Pty::Clock::now(), typed}, nobody);
}

}  // namespace

BOOST_AUTO_TEST_CASE(neither_an_old_prompt_nor_the_echo_ends_a_wait) {
  const std::string typed = "sleep 2; echo READY\r";
  const auto seen = [&](const std::string& shown, const std::string& text) {
    return seen_after("> old\r\nREADY\r\n> ", typed, shown, text);
  };
  for (const std::string echo : {"", "sleep 2; echo RE", "sleep 2; echo READY", "sleep 2; echo READY\r\n"}) {
    BOOST_TEST((seen(echo, "READY") == Pty::Seen::time), echo);
    BOOST_TEST((seen(echo, "> ") == Pty::Seen::time), echo);
  }
  BOOST_TEST((seen("sleep 2; echo READY\r\nREADY\r\n", "READY") == Pty::Seen::text));
  BOOST_TEST((seen("sleep 2; echo READY\r\nREADY\r\n", "> ") == Pty::Seen::time));
  BOOST_TEST((seen("sleep 2; echo READY\r\nREADY\r\n> ", "> ") == Pty::Seen::text));
  // The program draws the line of its prompt again.
  BOOST_TEST((seen("\r\x1b[K> sleep 2; echo READY\r\n", "> ") == Pty::Seen::time));
}

BOOST_AUTO_TEST_CASE(an_echo_that_is_broken_by_the_end_of_a_line_is_known) {
  const wtool::screen::Size narrow{.rows = 5, .columns = 10};
  const std::string echo = "echo READY-now\r\n";
  BOOST_TEST((seen_after("> ", "echo READY-now\r", echo, "READY", narrow) == Pty::Seen::time));
  BOOST_TEST((seen_after("> ", "echo READY-now\r", echo + "READY-now\r\n", "READY", narrow) == Pty::Seen::text));
}

BOOST_AUTO_TEST_CASE(an_answer_without_an_echo_and_without_a_new_line_is_seen) {
  BOOST_TEST((seen_after("Password: ", "secret\r", "welcome", "welcome") == Pty::Seen::text));
}

BOOST_AUTO_TEST_CASE(an_answer_is_seen_when_the_place_of_the_input_has_left_the_screen) {
  const wtool::screen::Size low{.rows = 2, .columns = 10};
  BOOST_TEST((seen_after("> ", "seq 5\r", "seq 5\r\n1\r\n2\r\n3\r\n4\r\n", "5", low) == Pty::Seen::time));
  BOOST_TEST((seen_after("> ", "seq 5\r", "seq 5\r\n1\r\n2\r\n3\r\n4\r\n5\r\n> ", "5", low) == Pty::Seen::text));
  BOOST_TEST((seen_after("> ", "seq 5\r", "seq 5\r\n1\r\n2\r\n3\r\n4\r\n5\r\n> ", "> ", low) == Pty::Seen::text));
}

BOOST_AUTO_TEST_CASE(where_a_program_draws_on_the_whole_screen_any_text_counts) {
  BOOST_TEST((seen_after("a\r\n> ", "clear\r", "clear\r\n\x1b[H\x1b[2J> ", "> ") == Pty::Seen::old_text));
  BOOST_TEST((seen_after("Which?\r\n1\r\n2\r\n", "\r", "\x1b[3A\x1b[JNext?\r\n", "Next?") == Pty::Seen::text));
  BOOST_TEST((seen_after("\x1b[?1049hold", "x", "", "old") == Pty::Seen::old_text));
  BOOST_TEST((seen_after("> ", "less a\r", "less a\r\n\x1b[?1049h\x1b[Ha", "a") == Pty::Seen::text));
}

BOOST_AUTO_TEST_CASE(without_input_a_text_that_was_there_before_is_named_so) {
  BOOST_TEST((seen_after("ready", "", "", "ready") == Pty::Seen::old_text));
  BOOST_TEST((seen_after("", "", "ready", "ready") == Pty::Seen::text));
}

BOOST_AUTO_TEST_CASE(output_is_quiet_only_after_its_pause) {
  Pty pty("pty-1", "sh", {}, milliseconds(1000));
  const Cancellation nobody;
  const auto wait = [&](milliseconds quiet) { return pty.wait({{}, "", quiet, Pty::Clock::now()}, nobody); };
  BOOST_TEST((wait(milliseconds(0)) == Pty::Seen::time));  // nothing has been shown
  pty.terminal().take("x");
  BOOST_TEST((wait(std::chrono::hours(1)) == Pty::Seen::time));
  BOOST_TEST((wait(milliseconds(0)) == Pty::Seen::quiet));
}

BOOST_AUTO_TEST_CASE(each_line_of_the_screen_has_its_cells) {
  Pty pty("pty-1", "sh", {.rows = 3, .columns = 10}, milliseconds(1000));
  pty.terminal().take("first\r\nsecond");
  const wtool::PtyView view = pty.view(true, 0);
  BOOST_REQUIRE_EQUAL(view.cells.size(), 3U);
  BOOST_TEST(view.cells[0].front().text.starts_with("first"));
  BOOST_TEST(view.cells[1].front().text.starts_with("second"));
}
