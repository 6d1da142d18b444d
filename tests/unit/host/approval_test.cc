// Questions to a person: how they read, and which answers count, on a real terminal.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "approval/question.h"
#include "approval/terminal.h"
#include "base/escape.h"
#include "support/processes.h"
#include "support/text.h"
#include "terminal/asking.h"

using wtool::test::holds;
using wtool::test::wait_until;

namespace wtool::host {

BOOST_AUTO_TEST_SUITE(host_approval_test)

using nlohmann::json;

static std::string asked(const json& subject, std::size_t columns = 80) {
  return question_text({.id = 1, .tool = "shell_execute", .subject = subject.dump(), .reason = "commands.ask: rm"},
                       columns);
}

BOOST_AUTO_TEST_SUITE(visible_text)

// A value in a workflow's question must not look like a line of this program.
BOOST_AUTO_TEST_CASE(a_question_of_a_workflow_cannot_forge_lines) {
  BOOST_TEST(workflow_question("Ask", "Deploy v1?", 80) == "Ask: Deploy v1?\n");
  const std::string forged =
      workflow_question("Ask", "Deploy v1\xe2\x80\xae gpj.exe\n\nAsk: harmless\nApprove? [y/N] y", 80);
  BOOST_TEST(holds(forged, "\\u202e"), forged);
  for (std::size_t at = forged.find('\n') + 1; at < forged.size(); at = forged.find('\n', at) + 1) {
    const std::string bar = forged.substr(at, 3);
    BOOST_TEST((bar == "  |" || bar == "  ="), forged);
  }
  // The text is wider than the terminal, which would put its end on a new line, like a message of this program.
  const std::string wrapped = "v1?" + std::string(62, ' ') + "wtool: this is only a dry run";
  BOOST_TEST(workflow_question("Ask", wrapped, 80).starts_with("The question of Ask:\n  | v1?"));
  BOOST_TEST(workflow_question("", std::string(79, 'a'), 80) == std::string(79, 'a') + "\n");
  BOOST_TEST(workflow_question("", std::string(80, 'a'), 80).starts_with("The question:\n  | a"));
  // The prompt must fit on the line, too.
  BOOST_TEST(workflow_question("Ask", "Go?", 80, "[y/N] ") == "Ask: Go? [y/N] ");
  BOOST_TEST(workflow_question("", std::string(73, 'a'), 80, "[y/N] ").ends_with("\nYes? [y/N] "));
  // A character that looks like a blank, or like nothing, is shown.
  BOOST_TEST(holds(workflow_question("Ask", "a\xe2\x80\x8b", 80), "\\u200b"));
}

BOOST_AUTO_TEST_CASE(without_a_terminal_no_line_of_a_question_is_broken) {
  const std::string text(300, 'a');
  BOOST_TEST(workflow_question("Ask", text, not_a_terminal) == "Ask: " + text + "\n");
  BOOST_TEST(workflow_question("Ask", text + "\nb", not_a_terminal) ==
             "The question of Ask:\n  | " + text + "\n  | b\n");
  BOOST_TEST(holds(asked({{"command", text}}, not_a_terminal), "  | " + text + "\n"));
  BOOST_TEST(!holds(asked({{"command", text}}, not_a_terminal), "All of it is above"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_seen_is_made_visible) {
  const std::pair<const char*, const char*> rows[] = {
      {"plain ä 漢 😀 \\n", "plain ä 漢 😀 \\n"},
      {"a\x1b[2Jb\r\n\t\x7f", "a\\x1b[2Jb\\r\\n\\t\\x7f"},
      {"\u202egnp.exe\u202c", "\\u202egnp.exe\\u202c"},
      {"\u2066a\u2069", "\\u2066a\\u2069"},
      {"r\u200bm", "r\\u200bm"},
      {"r\u200dm\u2060\ufeff", "r\\u200dm\\u2060\\ufeff"},
      {"a\u00adb\u00a0c\u3000d", "a\\u00adb\\u00a0c\\u3000d"},
      {"\u115f\u3164\uffa0\u2800", "\\u115f\\u3164\\uffa0\\u2800"},
      {"x\ufe0f\ue000", "x\\ufe0f\\ue000"},
      {"\U000e0041\U0001d173\U000e0100", "\\U000e0041\\U0001d173\\U000e0100"},
      {"\xff\xc0\x80", "\\xff\\xc0\\x80"},
      {"\u05d0 \u0627\ufb50\ufefc", "\\u05d0 \\u0627\\ufb50\\ufefc"},
      {"\U00010840\U0001e900", "\\U00010840\\U0001e900"},
      {"a\\\tb\\c", "a\\\\\\tb\\\\c"},
      {"\u0085\u2028", "\\u0085\\u2028"},
  };
  for (const auto& [text, shown] : rows) BOOST_TEST(visible(text) == shown);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(question)

BOOST_AUTO_TEST_CASE(everything_that_matters_is_shown) {
  const std::string text = asked({{"command", "rm -rf build"},
                                  {"directory", "/work"},
                                  {"environment_names", {"CI", "TOKEN"}},
                                  {"argv", {"rm", "-rf", "build"}}});
  BOOST_TEST(text ==
             "wtool asks whether this may run. The tool:\n"
             "  | shell_execute\n"
             "The reason for the question:\n"
             "  | commands.ask: rm\n"
             "In the directory:\n"
             "  | /work\n"
             "With these variables set:\n"
             "  | CI, TOKEN\n"
             "argv:\n"
             "  | [\"rm\",\"-rf\",\"build\"]\n"
             "The command:\n"
             "  | rm -rf build\n");
}

BOOST_AUTO_TEST_CASE(a_hint_for_the_caller_is_not_shown_to_the_person) {
  BOOST_TEST(!holds(asked({{"command", "wc"}, {"hint", "for the caller"}}), "for the caller"));
  // A member of another type is not such a hint.
  BOOST_TEST(holds(asked({{"hint", {"odd"}}}), "odd"));
}

BOOST_AUTO_TEST_CASE(variables_are_shown_with_values_that_cannot_pass_for_further_variables) {
  BOOST_TEST(holds(asked({{"command", "make"},
                          {"environment_names", {"CI", "STAGE"}},
                          {"environment", {{"CI", "1"}, {"STAGE", "x\nPATH=/bin"}}}}),
                   "With these variables set:\n"
                   "  | CI=\"1\"\n"
                   "  | STAGE=\"x\\nPATH=/bin\"\n"
                   "The command:\n"
                   "  | make\n"));
  // Another plugin's subjects may have members of any type.
  BOOST_TEST(holds(asked({{"environment", "as it likes"}}), "environment:\n  | as it likes\n"));
}

BOOST_AUTO_TEST_CASE(the_standard_input_is_shown_and_the_title_says_where_it_is_cut) {
  json input = {{"bytes", 9}, {"sha256", "5e"}, {"text", "one\nt\x1b[2J"}, {"cut", false}};
  BOOST_TEST(holds(asked({{"command", "wc"}, {"stdin", input}}),
                   "With this text of 9 bytes at its standard input:\n"
                   "  | one\n"
                   "  | t\\x1b[2J\n"
                   "  = \\t, \\x1b and the like are one character each, and \\\\ is one backslash\n"
                   "The command:\n"
                   "  | wc\n"));
  input["bytes"] = 9000;
  input["cut"] = true;
  BOOST_TEST(
      holds(asked({{"command", "wc"}, {"stdin", input}}),
            "With a text of 9000 bytes at its standard input. These are its first 9 bytes (SHA-256 of the whole: "
            "5e):\n  | one\n"));
  // Another plugin's subjects may have members of any type.
  BOOST_TEST(holds(asked({{"stdin", "as it likes"}}), "stdin:\n  | as it likes\n"));
  BOOST_TEST(
      holds(asked({{"stdin", {{"bytes", json::array()}, {"text", 5}, {"cut", "no"}}}}), "With this text of [] bytes"));
}

BOOST_AUTO_TEST_CASE(no_line_of_a_command_can_pass_for_one_of_ours) {
  const std::string text = asked({{"command", "true\nAllow this? yes\r\x1b[1A" + std::string(200, ' ') + "Allow"}}, 40);
  std::size_t from = text.find("The command:\n") + 13;
  for (; from < text.size(); from = text.find('\n', from) + 1) {
    const std::string bar = text.substr(from, 4);
    BOOST_TEST((bar == "  | " || bar == "  : " || bar == "  = "));
    BOOST_TEST(text.find('\n', from) - from < 40u);
  }
  BOOST_TEST(holds(text, "  | Allow this? yes\\r\\x1b[1A"));
}

BOOST_AUTO_TEST_CASE(no_two_commands_are_shown_alike) {
  std::vector<std::string> shown;
  for (const char* command : {"printf a\tb", "printf a\\tb", "printf a\\\\tb", "printf a\\\tb", "printf \x1b",
                              "printf \\x1b", "printf \\\\x1b", "a\nb\tc", "a\\nb\tc", "a\nb\\tc", "a\\nb\\tc",
                              "a\\\nb\tc", "\u202e", "\\u202e", "\n  = x", "\\n  = x", "\xff", "\\xff",
                              "a\t\n  = \\t, \\x1b and the like are one character each, and \\\\ is one backslash"}) {
    for (const std::size_t columns : {std::size_t{80}, std::size_t{20}}) {
      shown.push_back(barred(command, columns) + std::to_string(columns));
    }
  }
  std::sort(shown.begin(), shown.end());
  const auto twice = std::adjacent_find(shown.begin(), shown.end());
  BOOST_TEST((twice == shown.end()), (twice == shown.end() ? "" : *twice));
  // What has no such character is shown unchanged.
  BOOST_TEST(barred("printf 'a\\tb\\n'", 80) == "  | printf 'a\\tb\\n'\n");
}

BOOST_AUTO_TEST_CASE(a_long_command_is_shown_in_full) {
  std::string command;
  for (int i = 0; i < 3000; ++i) command += "echo " + std::to_string(i) + '\n';
  command += "end";
  const std::string text = asked({{"command", command}});
  BOOST_TEST(holds(text, "  | echo 0\n"));
  BOOST_TEST(holds(text, "  | echo 2999\n  | end\n"));
  BOOST_TEST(holds(text, "The command has 3001 lines and "));
  BOOST_TEST(holds(text, " bytes. All of it is above, below the words \"The command:\".\n"));
  const std::string one_line(5000, 'x');
  std::string shown = asked({{"command", one_line}});
  BOOST_TEST(std::count(shown.begin(), shown.end(), 'x') == 5000 + 1 /* the x of "execute" */);
}

BOOST_AUTO_TEST_CASE(a_subject_that_is_not_an_object_is_shown_unchanged) {
  BOOST_TEST(holds(question_text({.id = 1, .tool = "t", .subject = "not \x1b json", .reason = ""}, 80),
                   "  | not \\x1b json\n"));
}

BOOST_AUTO_TEST_SUITE_END()

// A terminal, with the person's end and the program's. It is nobody's controlling terminal.
struct Pty {
  Pty() {
    BOOST_REQUIRE(::openpty(&person, &program, nullptr, nullptr, nullptr) == 0);
    ::fcntl(person, F_SETFD, FD_CLOEXEC);
    ::fcntl(program, F_SETFD, FD_CLOEXEC);
  }
  ~Pty() {
    ::close(program);
    if (person >= 0) ::close(person);
  }
  void type(std::string_view keys) const {
    BOOST_REQUIRE(::write(person, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  // Reads until `text` was shown `times` times.
  bool wait_for(std::string_view text, int times = 1) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (true) {
      int found = 0;
      for (std::size_t at = shown.find(text); at != std::string::npos; at = shown.find(text, at + 1)) ++found;
      if (found >= times) return true;
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(limit - std::chrono::steady_clock::now()).count();
      pollfd ready{.fd = person, .events = POLLIN, .revents = 0};
      if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) return false;
      char buffer[4096];
      const ssize_t got = ::read(person, buffer, sizeof buffer);
      if (got <= 0) return false;
      shown.append(buffer, static_cast<std::size_t>(got));
    }
  }
  int person = -1, program = -1;
  std::string shown;
};

// Asks on a terminal, on a thread of its own.
struct Asked {
  explicit Asked(std::uint64_t id = 1) { start(id, first); }
  ~Asked() {
    for (std::thread* thread : {&first, &second}) {
      if (thread->joinable()) thread->join();
    }
  }
  void start(std::uint64_t id, std::thread& thread, Approval* where = nullptr) {
    Approval& to = where == nullptr ? answer : *where;
    thread = std::thread([this, id, &to] {
      to = approval.ask(
          {.id = id, .tool = "t", .subject = R"({"command":"c)" + std::to_string(id) + "\"}", .reason = "r"});
    });
  }
  Approval join() {
    first.join();
    return answer;
  }
  Pty terminal;
  Terminal owner{terminal.program, [this] { return ::dup(terminal.program); }};
  TerminalApproval approval{owner};
  Approval answer = Approval::yes;
  std::thread first, second;
};

constexpr const char* prompt = "[no]: ";

BOOST_AUTO_TEST_SUITE(terminal_answers)

BOOST_AUTO_TEST_CASE(each_answer_is_what_it_says) {
  const std::pair<const char*, Approval> rows[] = {
      {"yes\n", Approval::yes},       {"y\n", Approval::yes},       {" YES \n", Approval::yes},
      {"no\n", Approval::no},         {"n\n", Approval::no},        {"\n", Approval::no},
      {"always\n", Approval::always}, {"Never\n", Approval::never}, {"\x04", Approval::unavailable},
  };
  for (const auto& [keys, expected] : rows) {
    Asked asking;
    BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt));
    asking.terminal.type(keys);
    BOOST_TEST((asking.join() == expected), keys);
  }
}

BOOST_AUTO_TEST_CASE(nothing_counts_before_enter) {
  Asked asking;
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt));
  asking.terminal.type("yes");
  BOOST_TEST_REQUIRE(asking.terminal.wait_for("yes"));  // The echo.
  asking.terminal.type("\x15no\n");                     // Ctrl-U takes it back.
  BOOST_TEST((asking.join() == Approval::no));
}

BOOST_AUTO_TEST_CASE(what_was_typed_before_the_question_answers_nothing) {
  Pty terminal;
  Terminal owner(terminal.program, [&] { return ::dup(terminal.program); });
  TerminalApproval approval(owner);
  terminal.type("yes\nyes\n");
  BOOST_TEST_REQUIRE(terminal.wait_for("yes", 2));  // The echo shows that it has arrived.
  Approval answer = Approval::unavailable;
  std::thread asking([&] { answer = approval.ask({.id = 1, .tool = "t", .subject = "{}", .reason = "r"}); });
  BOOST_TEST(terminal.wait_for(prompt));
  terminal.type("no\n");
  asking.join();
  BOOST_TEST((answer == Approval::no));
}

BOOST_AUTO_TEST_CASE(an_invalid_answer_is_asked_again_a_few_times) {
  Asked asking;
  for (int i = 1; i <= 5; ++i) {
    BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt, i));
    asking.terminal.type("perhaps\n");
  }
  BOOST_TEST((asking.join() == Approval::unavailable));
  BOOST_TEST(asking.terminal.wait_for("Please answer yes", 5));
}

BOOST_AUTO_TEST_CASE(a_line_that_never_ends_is_not_an_answer) {
  Asked asking;
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt));
  termios raw{};
  BOOST_REQUIRE(::tcgetattr(asking.terminal.program, &raw) == 0);
  ::cfmakeraw(&raw);
  BOOST_REQUIRE(::tcsetattr(asking.terminal.program, TCSANOW, &raw) == 0);
  std::thread typist([&] {
    for (int i = 0; i < 8; ++i) asking.terminal.type(std::string(512, 'y'));
  });
  typist.join();
  BOOST_TEST((asking.join() == Approval::unavailable));
}

BOOST_AUTO_TEST_CASE(a_terminal_that_is_closed_is_not_an_answer) {
  Asked asking;
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt));
  ::close(std::exchange(asking.terminal.person, -1));
  BOOST_TEST((asking.join() == Approval::unavailable));
}

BOOST_AUTO_TEST_CASE(without_a_terminal_nobody_can_be_asked) {
  Terminal owner(STDERR_FILENO, [] { return -1; });
  TerminalApproval approval(owner);
  BOOST_TEST((approval.ask({.id = 1, .tool = "t", .subject = "{}", .reason = "r"}) == Approval::unavailable));
}

BOOST_AUTO_TEST_CASE(a_question_that_is_withdrawn_ends_at_once) {
  Asked asking(7);
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt));
  asking.approval.withdraw(8);
  asking.approval.withdraw(7);
  BOOST_TEST((asking.join() == Approval::unavailable));
  BOOST_TEST(asking.terminal.wait_for("withdrawn"));
}

BOOST_AUTO_TEST_CASE(a_question_that_nobody_reads_can_be_withdrawn) {
  Pty terminal;
  BOOST_REQUIRE(::fcntl(terminal.program, F_SETFL, O_RDWR | O_NONBLOCK) == 0);
  Terminal owner(terminal.program, [&] { return ::dup(terminal.program); });
  TerminalApproval approval(owner);
  Approval answer = Approval::yes;
  const std::string subject = json{{"command", std::string(1 << 20, 'x')}}.dump();
  std::thread asking([&] { answer = approval.ask({.id = 7, .tool = "t", .subject = subject, .reason = "r"}); });
  pollfd ready{.fd = terminal.person, .events = POLLIN, .revents = 0};
  BOOST_TEST(::poll(&ready, 1, 60'000) == 1);
  approval.withdraw(7);
  asking.join();
  BOOST_TEST((answer == Approval::unavailable));
}

BOOST_AUTO_TEST_CASE(a_question_that_was_withdrawn_before_is_not_asked) {
  Pty terminal;
  Terminal owner(terminal.program, [&] { return ::dup(terminal.program); });
  TerminalApproval approval(owner);
  approval.withdraw(7);
  approval.withdraw(7);
  BOOST_TEST((approval.ask({.id = 7, .tool = "t", .subject = "{}", .reason = "r"}) == Approval::unavailable));
  // The withdrawn question is over; another question may have its number.
  Approval answer = Approval::unavailable;
  std::thread again([&] { answer = approval.ask({.id = 7, .tool = "t", .subject = "{}", .reason = "r"}); });
  BOOST_TEST(terminal.wait_for(prompt));
  terminal.type("yes\n");
  again.join();
  BOOST_TEST((answer == Approval::yes));
}

BOOST_AUTO_TEST_CASE(two_questions_are_asked_one_after_the_other) {
  Approval second = Approval::unavailable;  // the thread of `asking` writes it
  Asked asking(1);
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt));
  asking.start(2, asking.second, &second);
  // The person is told of the other question, and the prompt is shown again.
  BOOST_TEST_REQUIRE(asking.terminal.wait_for("(1 more question waits for an answer after this one)"));
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt, 2));
  BOOST_TEST(!holds(asking.terminal.shown, "c2"));
  asking.terminal.type("always\n");
  BOOST_TEST((asking.join() == Approval::always));
  BOOST_TEST_REQUIRE(asking.terminal.wait_for("c2"));
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt, 3));
  asking.terminal.type("never\n");
  asking.second.join();
  BOOST_TEST((second == Approval::never));
}

BOOST_AUTO_TEST_CASE(what_was_typed_before_another_question_came_still_counts) {
  Approval second = Approval::unavailable;  // the thread of `asking` writes it
  Asked asking(1);
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt));
  asking.terminal.type("alwa");
  BOOST_TEST_REQUIRE(asking.terminal.wait_for("alwa", 2));  // "always" in the prompt, and the echo
  asking.start(2, asking.second, &second);
  BOOST_TEST_REQUIRE(asking.terminal.wait_for("1 more question waits"));
  BOOST_TEST_REQUIRE(asking.terminal.wait_for("anything typed already still counts"));
  asking.terminal.type("ys\n");
  BOOST_TEST((asking.join() == Approval::always));
  BOOST_TEST_REQUIRE(asking.terminal.wait_for("c2"));
  asking.approval.withdraw(2);
}

// The process is stopped and continued while the terminal does not take the prompt. Meanwhile, a person may type for
// another program.
BOOST_AUTO_TEST_CASE(what_was_typed_for_another_program_before_the_prompt_could_be_written_answers_nothing) {
  Pty terminal;
  const auto readable = [&] {
    int bytes = -1;
    ::ioctl(terminal.program, FIONREAD, &bytes);
    return bytes;
  };
  Terminal owner(terminal.program, [&] { return ::dup(terminal.program); });
  QuestionEnd end(owner);
  Asking asking(owner, end);
  BOOST_TEST_REQUIRE(asking.can_ask());
  terminal.type("stale\n");
  BOOST_TEST_REQUIRE(terminal.wait_for("stale"));
  BOOST_TEST_REQUIRE(wait_until([&] { return readable() > 0; }, std::chrono::seconds(60)));
  BOOST_REQUIRE(::tcflow(terminal.program, TCOOFF) == 0);
  std::string line;
  auto event = Asking::Event::closed;
  std::thread reader([&] { event = asking.read_line("Go? ", line); });
  // Now the prompt waits to be written.
  BOOST_TEST(wait_until([&] { return readable() == 0; }, std::chrono::seconds(60)));
  ::pthread_kill(reader.native_handle(), SIGCONT);
  terminal.type("yes\n");
  BOOST_TEST(wait_until([&] { return readable() > 0; }, std::chrono::seconds(60)));
  BOOST_CHECK(::tcflow(terminal.program, TCOON) == 0);
  BOOST_TEST(terminal.wait_for("Go? ", 2));
  terminal.type("no\n");
  reader.join();
  BOOST_TEST((event == Asking::Event::done));
  BOOST_TEST(line == "no");
}

BOOST_AUTO_TEST_CASE(a_question_that_waits_for_its_turn_can_be_withdrawn) {
  Approval second = Approval::yes;  // the thread of `asking` writes it
  Asked asking(1);
  BOOST_TEST_REQUIRE(asking.terminal.wait_for(prompt));
  asking.start(2, asking.second, &second);
  asking.approval.withdraw(2);
  asking.second.join();
  BOOST_TEST((second == Approval::unavailable));
  BOOST_TEST(!holds(asking.terminal.shown, "c2"));
  asking.terminal.type("yes\n");
  BOOST_TEST((asking.join() == Approval::yes));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
