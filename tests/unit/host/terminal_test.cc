// The owner of the terminal: lines, the live region, and questions, on a real terminal that is read as a screen.
#include "terminal/terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <future>
#include <string>

#include "support/screen.h"
#include "terminal/asking.h"
#include "terminal/dropping_output.h"

namespace wtool::host {

BOOST_AUTO_TEST_SUITE(host_terminal_test)

namespace {

struct Place {
  explicit Place(unsigned short columns = 40) {
    const winsize size{.ws_row = 20, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    BOOST_REQUIRE(::openpty(&person, &program, nullptr, nullptr, &size) == 0);
    ::fcntl(person, F_SETFL, O_RDWR | O_NONBLOCK);
  }
  ~Place() {
    ::close(program);
    ::close(person);
  }
  // What the screen shows after everything that was written so far.
  std::string text() {
    char buffer[4096];
    for (ssize_t got; (got = ::read(person, buffer, sizeof buffer)) > 0;) {
      screen.feed({buffer, static_cast<std::size_t>(got)});
    }
    return screen.text();
  }
  // Waits up to a minute until `seen` returns true. Returns whether it did.
  bool wait_until(const std::function<bool(const std::string& shown)>& seen) {
    for (int i = 0; i < 600; ++i) {
      if (seen(text())) return true;
      pollfd ready{.fd = person, .events = POLLIN, .revents = 0};
      ::poll(&ready, 1, 100);
    }
    return false;
  }
  bool wait_for(const std::string& prompt) {
    return wait_until([&](const std::string&) { return screen.cursor_line().ends_with(prompt); });
  }
  // Waits until the screen shows this text `times` times.
  bool wait_for_text(const std::string& wanted, int times) {
    return wait_until([&](const std::string& shown) {
      int found = 0;
      for (std::size_t at = 0; (at = shown.find(wanted, at)) != std::string::npos; ++at) ++found;
      return found >= times;
    });
  }
  void type(std::string_view keys) const {
    BOOST_REQUIRE(::write(person, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }
  int person = -1, program = -1;
  test::Screen screen{40, 20};
};

std::vector<LiveLine> live(const std::vector<std::string>& lines) {
  std::vector<LiveLine> made;
  for (const std::string& line : lines) made.push_back({line, line.size()});
  return made;
}

}  // namespace

BOOST_AUTO_TEST_CASE(lines_that_nobody_reads_can_be_dropped_and_counted) {
  int ends[2];
  BOOST_REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const auto read_all = [&] {
    std::string text(1 << 20, '\0');
    const ssize_t got = ::read(ends[0], text.data(), text.size());
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  };
  DroppingOutput output(ends[1]);
  // The pipe has room for some of the lines, and for the beginning of another one.
  const std::string line = std::string(9999, 'x') + '\n';
  for (int i = 0; i < 10; ++i) output.write(line);
  std::string all = read_all();
  BOOST_TEST(all.size() < 10 * line.size());
  output.write("next\n");
  all += read_all();
  // Every line that was begun is complete.
  const std::size_t kept = all.find("wtool: ");
  BOOST_REQUIRE(kept != std::string::npos);
  BOOST_TEST(kept % line.size() == 0U);
  BOOST_TEST(all.substr(kept) == "wtool: " + std::to_string(10 - kept / line.size()) +
                                     " lines could not be written here in time, and were dropped\nnext\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

BOOST_AUTO_TEST_SUITE(terminal)

BOOST_AUTO_TEST_CASE(lines_are_shown_above_the_live_region) {
  Place place;
  Terminal terminal(place.program);
  terminal.show("", live({"> a", "> b"}));
  terminal.write("one\n");
  BOOST_TEST(place.text() == "one\n> a\n> b\n");
  terminal.show("two\n", live({"> b"}));
  BOOST_TEST(place.text() == "one\ntwo\n> b\n");
  terminal.write(std::string(50, 'x') + "\n");
  terminal.show("", live({"> c", "> d", "> e"}));
  terminal.show("", {});
  BOOST_TEST(place.text() == "one\ntwo\n" + std::string(50, 'x') + "\n");
}

BOOST_AUTO_TEST_CASE(a_region_that_was_broken_by_a_narrower_terminal_is_taken_away_whole) {
  Place place;
  Terminal terminal(place.program);
  terminal.show("one\n", live({std::string(38, 'a'), std::string(38, 'b')}));
  place.text();
  const winsize size{.ws_row = 20, .ws_col = 15, .ws_xpixel = 0, .ws_ypixel = 0};
  BOOST_REQUIRE(::ioctl(place.person, TIOCSWINSZ, &size) == 0);
  place.screen.resize(15, 20);
  terminal.show("two\n", live({"> c"}));
  BOOST_TEST(place.text() == "one\ntwo\n> c\n");
}

BOOST_AUTO_TEST_CASE(lines_wait_until_a_question_is_answered) {
  Place place;
  Terminal terminal(place.program, [&] { return ::dup(place.program); });
  terminal.show("one\n", live({"> a"}));
  auto answer = std::async(std::launch::async, [&] {
    QuestionEnd end(terminal);
    Asking asking(terminal, end);
    std::string line;
    asking.read_line("well? ", line);
    return line;
  });
  BOOST_TEST_REQUIRE(place.wait_for("well? "));
  terminal.write("two\n");
  terminal.show("three\n", live({"> b"}));
  BOOST_TEST(place.text() == "one\nwell?\n");
  place.type("yes\n");
  BOOST_TEST(answer.get() == "yes");
  BOOST_TEST(place.text() == "one\nwell? yes\ntwo\nthree\n> b\n");
}

BOOST_AUTO_TEST_CASE(output_of_a_command_tears_no_line_and_waits_for_the_answer_to_a_question) {
  Place place;
  Terminal terminal(place.program, [&] { return ::dup(place.program); });
  BOOST_TEST(terminal.pass("one\ntw") == 0);
  BOOST_TEST(terminal.pass("o") == 0);
  terminal.write("a line\n");
  terminal.pass("three");
  auto answer = std::async(std::launch::async, [&] {
    QuestionEnd end(terminal);
    Asking asking(terminal, end);
    std::string line;
    asking.read_line("well? ", line);
    return line;
  });
  BOOST_TEST_REQUIRE(place.wait_for("well? "));
  BOOST_TEST(terminal.pass("four") == 0);
  terminal.write("another line\n");
  BOOST_TEST(terminal.pass("five") == 0);
  BOOST_TEST(place.text() == "one\ntwo\na line\nthree\nwell?\n");
  place.type("yes\n");
  BOOST_TEST(answer.get() == "yes");
  terminal.end_line();
  terminal.end_line();
  terminal.write("the end\n");
  BOOST_TEST(place.text() == "one\ntwo\na line\nthree\nwell? yes\nfour\nanother line\nfive\nthe end\n");
}

BOOST_AUTO_TEST_CASE(output_of_a_command_is_unchanged_without_a_terminal) {
  int ends[2];
  BOOST_REQUIRE(::pipe(ends) == 0);
  Terminal terminal(ends[1]);
  terminal.pass("half");
  terminal.write("a line\n");
  terminal.pass("half");
  terminal.end_line();
  char buffer[100];
  const ssize_t got = ::read(ends[0], buffer, sizeof buffer);
  BOOST_TEST(std::string_view(buffer, static_cast<std::size_t>(std::max<ssize_t>(got, 0))) == "halfa line\nhalf");
  ::close(ends[0]);
  ::close(ends[1]);
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  BOOST_TEST(Terminal(full).pass("x") == ENOSPC);
  ::close(full);
}

BOOST_AUTO_TEST_CASE(if_very_many_lines_wait_the_rest_is_counted) {
  Place place;
  Terminal terminal(place.program, [&] { return ::dup(place.program); });
  auto answer = std::async(std::launch::async, [&] {
    QuestionEnd end(terminal);
    Asking asking(terminal, end);
    std::string line;
    asking.read_line("well? ", line);
  });
  BOOST_TEST_REQUIRE(place.wait_for("well? "));
  for (int i = 0; i < 10'000; ++i) terminal.write(std::string(39, 'x') + "\n");
  place.type("\n");
  const std::string told = "  ... 3447 lines came while the question was shown, and were left out here";
  for (int i = 0; i < 600 && place.text().find("left out here") == std::string::npos; ++i) {
    pollfd ready{.fd = place.person, .events = POLLIN, .revents = 0};
    ::poll(&ready, 1, 100);
  }
  answer.get();
  BOOST_TEST(place.text().find(told) != std::string::npos);
}

namespace {

// Asks for a `yes`, on a thread of its own.
std::future<Asking::Event> asked_for_yes(Terminal& terminal) {
  return std::async(std::launch::async, [&terminal] {
    QuestionEnd end(terminal);
    Asking asking(terminal, end);
    const auto problem = [](const std::string& line) { return std::string(line == "yes" ? "" : "Say yes.\n"); };
    return asking.ask({.prompt = "well? ", .problem = problem});
  });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_that_is_not_an_answer_is_asked_again) {
  Place place;
  Terminal terminal(place.program, [&] { return ::dup(place.program); });
  auto event = asked_for_yes(terminal);
  BOOST_TEST_REQUIRE(place.wait_for_text("well?", 1));
  place.type("no\n");
  BOOST_TEST_REQUIRE(place.wait_for_text("well?", 2));
  place.type("yes\n");
  BOOST_TEST((event.get() == Asking::Event::done));
  BOOST_TEST(place.text() == "well? no\nSay yes.\nwell? yes\n");
}

BOOST_AUTO_TEST_CASE(after_five_lines_that_are_not_an_answer_nothing_is_asked) {
  Place place;
  Terminal terminal(place.program, [&] { return ::dup(place.program); });
  auto event = asked_for_yes(terminal);
  for (int i = 1; i <= 5; ++i) {
    BOOST_TEST_REQUIRE(place.wait_for_text("well?", i));
    place.type("no\n");
  }
  BOOST_TEST((event.get() == Asking::Event::closed));
  BOOST_TEST(place.text().ends_with("well? no\nSay yes.\n"));
}

BOOST_AUTO_TEST_CASE(a_question_that_is_withdrawn_before_a_mistake_is_shown_has_no_answer) {
  Place place;
  Terminal terminal(place.program, [&] { return ::dup(place.program); });
  auto event = std::async(std::launch::async, [&] {
    QuestionEnd end(terminal);
    Asking asking(terminal, end);
    const auto problem = [&end](const std::string&) {
      end.request();
      return std::string("Say yes.\n");
    };
    return asking.ask({.prompt = "well? ", .problem = problem});
  });
  BOOST_TEST_REQUIRE(place.wait_for_text("well?", 1));
  place.type("no\n");
  BOOST_TEST((event.get() == Asking::Event::ended));
  BOOST_TEST(place.text() == "well? no\n\n(the question is withdrawn)\n");
}

BOOST_AUTO_TEST_CASE(what_is_typed_for_a_hidden_answer_is_not_shown) {
  Place place;
  Terminal terminal(place.program, [&] { return ::dup(place.program); });
  auto answer = std::async(std::launch::async, [&] {
    QuestionEnd end(terminal);
    Asking asking(terminal, end);
    std::string line;
    asking.read_line("token: ", line, true);
    return line;
  });
  BOOST_TEST_REQUIRE(place.wait_for("token: "));
  place.type("hunter2\n");
  BOOST_TEST(answer.get() == "hunter2");
  BOOST_TEST(place.text().find("hunter2") == std::string::npos);
  termios after{};
  BOOST_REQUIRE(::tcgetattr(place.program, &after) == 0);
  BOOST_TEST((after.c_lflag & ECHO) != 0U);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host
