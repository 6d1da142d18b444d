#include "terminal/text.h"

#include <fcntl.h>
#include <pty.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>
#include <thread>

#include "report/progress.h"
#include "support/host_variable.h"

namespace display_test {

using namespace wtool::host;
using namespace wtool::host::report;
using namespace wtool::host::runner;
using namespace wtool::host::workflow;
using wtool::host::Terminal;
using wtool::test::HostVariable;
namespace expressions = wtool::host::expressions;
using expressions::Value;

namespace {

State state_named(const std::string& id) {
  State state;
  state.id = id;
  state.action = Action{ShellAction{}, {}, 0};
  return state;
}

// What a short run writes in this style.
std::string shown(ProgressStyle style) {
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
  {
    Terminal terminal(ends[1]);
    Progress progress(terminal, style);
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

BOOST_AUTO_TEST_CASE(progress_is_plain_lines_except_on_a_terminal) {
  BOOST_TEST(shown({false, false}) ==
             "  > Build\n    warning: careful\n    warning: now\n  failed Build  0.000 s  Command failed\n");
}

BOOST_AUTO_TEST_CASE(colour_is_there_only_where_it_is_wanted) {
  BOOST_TEST(shown({true, true}).find("\x1b[31mfailed") != std::string::npos);
  BOOST_TEST(shown({true, false}).find("\x1b[31m") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_pipe_is_not_a_terminal) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  BOOST_TEST(!ProgressStyle::of(ends[1]).live);
  BOOST_TEST(!ProgressStyle::of(ends[1]).colour);
  ::close(ends[0]);
  ::close(ends[1]);
}

BOOST_AUTO_TEST_CASE(a_terminal_is_live_and_has_colours_unless_no_color_or_term_says_otherwise) {
  int person = -1, program = -1;
  BOOST_REQUIRE(::openpty(&person, &program, nullptr, nullptr, nullptr) == 0);
  const auto seen = [&](const std::optional<std::string>& no_color, const std::optional<std::string>& term) {
    const HostVariable first("NO_COLOR", no_color), second("TERM", term);
    const ProgressStyle style = ProgressStyle::of(program);
    return std::string(style.live ? "live " : "lines ") + (style.colour ? "in colours" : "plain");
  };
  BOOST_TEST(seen({}, "xterm") == "live in colours");
  BOOST_TEST(seen("", "xterm") == "live in colours");
  BOOST_TEST(seen("1", "xterm") == "live plain");
  BOOST_TEST(seen({}, "dumb") == "lines plain");
  BOOST_TEST(seen({}, {}) == "lines plain");
  ::close(person);
  ::close(program);
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
                                                       {"ok\u202efdp.exe\u2066x", "ok?fdp.exe?x"},
                                                       {"a\u2028b", "a?b"},
                                                       {"\x1b", ""},
                                                       {"\x1b[", ""},
                                                       {"\x1bPq...\x1b\\x", "x"}};
  for (const auto& [text, expected] : cases) BOOST_TEST(cleaned_for_terminal(text, false) == expected);
  BOOST_TEST(cleaned_for_terminal("a\nb", true) == "a\nb");
}

namespace {

// Sets the locale in the environment.
struct Locale {
  explicit Locale(const char* name) {
    ::unsetenv("LC_ALL");
    ::unsetenv("LC_CTYPE");
    ::setenv("LANG", name, 1);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(where_the_locale_is_not_utf8_what_was_cut_ends_with_dots) {
  const Locale locale("C");
  BOOST_TEST(cut_to_width("abcdef", 5) == "ab...");
  BOOST_TEST(cut_to_width("abcdef", 6) == "abcdef");
  BOOST_TEST(cut_to_width("abcdef", 2) == "..");
}

BOOST_AUTO_TEST_CASE(widths_count_columns) {
  const Locale locale("C.UTF-8");
  BOOST_TEST(display_width("aü漢e\xcc\x81") == 5U);
  BOOST_TEST(cut_to_width("abcdef", 6) == "abcdef");
  BOOST_TEST(cut_to_width("abcdef", 4) == "abc…");
  BOOST_TEST(cut_to_width("漢字漢字", 5) == "漢字…");
  BOOST_TEST(cut_to_width("abc", 0).empty());
  BOOST_TEST(padded("漢", 4) == "漢  ");
}

BOOST_AUTO_TEST_CASE(durations_are_short) {
  using namespace std::chrono_literals;
  BOOST_TEST(duration_text(30ms) == "0.030 s");
  BOOST_TEST(duration_text(2'030ms) == "2.03 s");
  BOOST_TEST(duration_text(12'400ms) == "12.4 s");
  BOOST_TEST(duration_text(185s) == "3 min 05 s");
  BOOST_TEST(duration_text(3720s) == "1 h 02 min");
}

namespace {

// The output while `tell` reports a run of states that call something; the states are named A to Z.
template <class Tell>
std::string progress_of(ProgressStyle style, Tell tell) {
  Workflow workflow;
  for (char c = 'A'; c <= 'Z'; ++c) workflow.states.push_back(state_named(std::string(1, c)));
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_NONBLOCK) == 0);
  {
    Terminal terminal(ends[1]);
    Progress progress(terminal, style);
    std::uint64_t number = 0;
    tell(progress, [&](char state, const std::string& branch) {
      Step step;
      step.number = ++number;
      step.workflow = &workflow;
      step.state = static_cast<std::size_t>(state - 'A');
      step.branch = branch;
      step.began = std::chrono::steady_clock::now();
      return step;
    });
  }
  char buffer[65536];
  const ssize_t size = ::read(ends[0], buffer, sizeof buffer);
  ::close(ends[0]);
  ::close(ends[1]);
  return {buffer, size < 0 ? 0U : static_cast<std::size_t>(size)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(branches_are_distinguished) {
  const std::string text = progress_of({false, false}, [](Progress& progress, auto made) {
    Step first = made('B', "/1:B");
    progress.state_entered(first);
    Step second = made('C', "/1:D/2:deploy");
    progress.state_entered(second);
    Outcome failed;
    failed.message = "no answer";
    second.tries = 1;
    progress.retrying(second, failed, std::chrono::seconds(2));
    progress.logged(first, LogAction::Level::info, "hello");
    progress.noticed("look here");
    first.status = second.status = Step::Status::succeeded;
    progress.state_ended(first, {});
    second.replayed = true;
    progress.state_ended(second, {});
    Step third = made('E', "/3:2");
    progress.state_entered(third);
    expressions::Map values;
    values.fields.emplace("arch", Value(std::string("amd64")));
    values.fields.emplace("mode", Value(std::string("debug")));
    progress.combination_begun("/3:1", Value(values));
    progress.state_entered(made('E', "/3:1"));
    progress.state_entered(made('F', "/3:1/1:deploy"));
  });
  BOOST_TEST(text ==
             "  > B\n"
             "  > D / deploy / C\n"
             "  again D / deploy / C  in 2.00 s, because try 1 failed: no answer\n"
             "    B: hello\n"
             "    notice: look here\n"
             "  ok B  0.000 s\n"
             "  kept D / deploy / C  0.000 s\n"
             "  > [2] E\n"
             "  > E (amd64, debug)\n"
             "  > (amd64, debug) deploy / F\n");
}

BOOST_AUTO_TEST_CASE(waiting_for_a_node_is_shown_apart_from_running_on_one) {
  const std::string live = progress_of({true, false}, [](Progress& progress, auto made) {
    const Step waits = made('A', ""), runs = made('B', "/1:B");
    progress.state_entered(waits);
    progress.call_state(waits, {.state = "queued", .reason = "node"});
    progress.state_entered(runs);
    progress.call_state(runs, {.state = "queued", .reason = "node"});
    progress.call_state(runs, {.state = "started", .node = "node\x1b[31m7", .job = "12"});
    progress.noticed("now");  // This shows the lines of everything that runs.
  });
  BOOST_TEST(live.find(" s  waits for a node", live.find("> A  ")) < live.find("> B  "), live);
  BOOST_TEST(live.find(" s  on node7", live.find("> B  ")) != std::string::npos, live);
  const std::string plain = progress_of({false, false}, [](Progress& progress, auto made) {
    Step step = made('A', "");
    progress.state_entered(step);
    progress.call_state(step, {.state = "started", .node = "node7"});
    step.status = Step::Status::succeeded;
    progress.state_ended(step, {});
  });
  BOOST_TEST(plain == "  > A\n  ok A  0.000 s  on node7\n");
}

BOOST_AUTO_TEST_CASE(the_process_of_a_command_is_shown_while_it_runs_where_more_is_asked_for) {
  const auto live_of = [](Detail detail, bool has_ended) {
    return progress_of({.live = true, .detail = detail}, [&](Progress& progress, auto made) {
      const Step step = made('A', "");
      progress.state_entered(step);
      progress.state_entered(made('B', "/1:B"));  // With two steps, lines are shown.
      progress.call_state(step, {.state = "started", .pid = 4711});
      if (has_ended) progress.call_state(step, {.state = "ended"});
      progress.noticed("now");
    });
  };
  BOOST_TEST(live_of(Detail::verbose, false).find(" s  process 4711") != std::string::npos);
  BOOST_TEST(live_of(Detail::usual, false).find("4711") == std::string::npos);
  BOOST_TEST(live_of(Detail::verbose, true).find("4711") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_command_that_is_being_stopped_is_shown_as_such_until_it_has_ended) {
  const std::string live = progress_of({true, false}, [](Progress& progress, auto made) {
    const Step stops = made('A', ""), stopped = made('B', "/1:B");
    progress.state_entered(stops);
    progress.call_state(stops, {.state = "stopping", .reason = "timeout"});
    progress.state_entered(stopped);
    progress.call_state(stopped, {.state = "stopping", .reason = "cancelled"});
    progress.call_state(stopped, {.state = "ended"});
    progress.noticed("now");
  });
  BOOST_TEST(live.find(" s  is being stopped: timeout", live.find("> A  ")) != std::string::npos, live);
  BOOST_TEST(live.find("is being stopped: cancelled", live.rfind("> B  ")) == std::string::npos, live);
}

BOOST_AUTO_TEST_CASE(a_terminal_shows_all_that_runs_and_counts_what_has_no_room) {
  const std::string text = progress_of({true, false}, [](Progress& progress, auto made) {
    for (char c = 'A'; c <= 'J'; ++c) {
      std::string branch = "/1:?";
      std::string output = "line of ?\nrest of ?";
      branch.back() = output.back() = c;
      const Step step = made(c, branch);
      progress.state_entered(step);
      progress.output(step, false, output);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(350));
  });
  for (const char* part : {"> A  ", "> G  ", "rest of G", "and 3 more\x1b[K", "\r\x1b[7A"}) {
    BOOST_TEST(text.find(part) != std::string::npos, part);
  }
  BOOST_TEST(text.find("> H") == std::string::npos);
  BOOST_TEST(text.ends_with("\x1b[7A\x1b[J"));
}

namespace {

// What a step with this output shows in the given style.
std::string progress_with_output(ProgressStyle style) {
  return progress_of(style, [](Progress& progress, auto made) {
    Step step = made('B', "");
    progress.state_entered(step);
    progress.output(step, false, "one\ntw");
    progress.output(step, true, "careful\n");
    progress.output(step, false, "o\n10%\r100%\r\nlast\x1b[31m");
    step.status = Step::Status::succeeded;
    StepEnd end;
    end.command = "make\nmake install";
    progress.state_ended(step, end);
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_output_of_a_step_is_shown_as_it_is_wanted) {
  using enum OutputStyle;
  using enum Detail;
  BOOST_TEST(progress_with_output({false, false, group}) ==
             "  > B\n  ok B  0.000 s\n    | one\n    ! careful\n    | two\n    | 100%\n    | last\n");
  BOOST_TEST(progress_with_output({false, false, stream}) == "  > B\none\ncareful\ntwo\n100%\nlast\n  ok B  0.000 s\n");
  BOOST_TEST(progress_with_output({false, false, prefixed}) ==
             "  > B\nB | one\nB ! careful\nB | two\nB | 100%\nB | last\n  ok B  0.000 s\n");
  BOOST_TEST(progress_with_output({false, false, none}) == "  > B\n  ok B  0.000 s, 1 line on stderr\n");
  BOOST_TEST(progress_with_output({false, false, group, quiet}).empty());
  BOOST_TEST(progress_with_output({false, false, none, verbose}) ==
             "  > B\n  ok B  0.000 s, 1 line on stderr\n    $ make\n      make install\n");
}

BOOST_AUTO_TEST_CASE(quiet_progress_shows_only_failures) {
  const std::string text =
      progress_of({false, false, OutputStyle::group, Detail::quiet}, [](Progress& progress, auto made) {
        Step step = made('B', "");
        progress.state_entered(step);
        progress.logged(step, LogAction::Level::info, "hello");
        progress.logged(step, LogAction::Level::warning, "careful");
        step.status = Step::Status::failed;
        StepEnd end;
        end.outcome.message = "exit code 2";
        progress.state_ended(step, end);
      });
  BOOST_TEST(text == "    warning: careful\n  failed B  0.000 s  exit code 2\n");
}

BOOST_AUTO_TEST_CASE(the_end_of_a_very_long_output_is_kept_and_the_rest_counted) {
  KeptLines kept;
  for (int i = 0; i < 10'000; ++i) kept.add({{false, std::string(1000, 'x')}});
  BOOST_TEST(kept.left_out() > 5000U);
  BOOST_TEST(kept.left_out() + kept.lines().size() == 10'000U);
  StepOutput output;
  BOOST_TEST(output.add(false, std::string(200'000, 'y')).size() == 3U);
  BOOST_TEST(output.finish().size() == 1U);
}

}  // namespace display_test
