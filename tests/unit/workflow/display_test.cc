#include "reporting/display.h"

#include <fcntl.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>

#include "reporting/progress.h"

using namespace wtool::host::workflow;

namespace {

State state_named(const std::string& id) {
  State state;
  state.id = id;
  state.action = Action{ShellAction{}, {}, 0};
  return state;
}

// What a short run writes in that style.
std::string shown(ProgressStyle style) {
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
  {
    Progress progress(ends[1], style);
    Workflow workflow;
    workflow.states.push_back(state_named("Build\x1b[31m"));
    Step step;
    step.workflow = &workflow;
    step.state = 0;
    step.began = std::chrono::steady_clock::now();
    progress.state_entered(step);
    progress.output(step, false, "line one\nline two");
    progress.logged(step, LogAction::Level::warning, "careful\x1b]0;title\a\nnow");
    step.status = Step::Status::failed;
    StepEnd end;
    end.outcome.message = "Command failed";
    progress.state_ended(step, end);
    progress.run_ended({});
  }
  char buffer[65536];
  const ssize_t size = ::read(ends[0], buffer, sizeof buffer);
  ::close(ends[0]);
  ::close(ends[1]);
  return {buffer, size < 0 ? 0U : static_cast<std::size_t>(size)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(elsewhere_than_on_a_terminal_progress_is_plain_lines) {
  BOOST_TEST(shown({false, false}) ==
             "  > Build\n    warning: careful\n    warning: now\n  failed Build  0.00 s  Command failed\n");
}

BOOST_AUTO_TEST_CASE(colour_is_there_only_where_it_is_wanted) {
  BOOST_TEST(shown({true, true}).find("\x1b[31mfailed") != std::string::npos);
  BOOST_TEST(shown({true, false}).find("\x1b[31m") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(no_color_is_obeyed_and_a_pipe_is_no_terminal) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  BOOST_TEST(!ProgressStyle::of(ends[1]).live);
  BOOST_TEST(!ProgressStyle::of(ends[1]).colour);
  ::close(ends[0]);
  ::close(ends[1]);
}

BOOST_AUTO_TEST_CASE(texts_are_made_safe_for_a_terminal) {
  const std::pair<std::string, std::string> cases[] = {{"plain ü漢", "plain ü漢"},
                                                       {"\x1b[31mred\x1b[0m", "red"},
                                                       {"\x1b]0;title\x07x", "x"},
                                                       {"a\rb\bc\x7f", "abc"},
                                                       {"a\tb\nc", "a b c"},
                                                       {"\xc2\x9b"
                                                        "31mx",
                                                        "?31mx"},
                                                       {"bad \xff\xc3", "bad ??"},
                                                       {"\x1b", ""},
                                                       {"\x1b[", ""},
                                                       {"\x1bPq...\x1b\\x", "x"}};
  for (const auto& [text, expected] : cases) BOOST_TEST(cleaned_for_terminal(text, false) == expected);
  BOOST_TEST(cleaned_for_terminal("a\nb", true) == "a\nb");
}

BOOST_AUTO_TEST_CASE(widths_count_columns) {
  BOOST_TEST(display_width("aü漢e\xcc\x81") == 5U);
  BOOST_TEST(cut_to_width("abcdef", 6) == "abcdef");
  BOOST_TEST(cut_to_width("abcdef", 4) == "abc…");
  BOOST_TEST(cut_to_width("漢字漢字", 5) == "漢字…");
  BOOST_TEST(cut_to_width("abc", 0).empty());
  BOOST_TEST(padded("漢", 4) == "漢  ");
}

BOOST_AUTO_TEST_CASE(durations_are_short) {
  using namespace std::chrono_literals;
  BOOST_TEST(duration_text(30ms) == "0.03 s");
  BOOST_TEST(duration_text(12'400ms) == "12.4 s");
  BOOST_TEST(duration_text(185s) == "3 min 05 s");
  BOOST_TEST(duration_text(3720s) == "1 h 02 min");
}
