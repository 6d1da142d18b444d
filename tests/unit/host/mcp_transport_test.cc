// Lines in, in whatever pieces they come, and lines out, however slow their reader is.
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "base/wake_up.h"
#include "mcp/input.h"
#include "mcp/output.h"

namespace wtool::host::mcp {

using namespace std::chrono_literals;
using Next = Input::Next;

namespace {

struct Ends {
  explicit Ends(bool socket = false) {
    BOOST_REQUIRE((socket ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) : ::pipe2(fd, O_CLOEXEC)) == 0);
  }
  ~Ends() {
    close(0);
    close(1);
  }
  void close(int which) {
    if (fd[which] >= 0) ::close(fd[which]);
    fd[which] = -1;
  }
  void write(std::string_view text) const {
    BOOST_REQUIRE(::write(fd[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  }
  int fd[2] = {-1, -1};
};

// A line of `bytes` bytes, including the newline.
std::string line_of(std::size_t bytes) {
  std::string line(bytes, 'x');
  line.back() = '\n';
  return line;
}

// Reads until the end, and counts the lines.
std::size_t lines_of(int descriptor) {
  std::size_t lines = 0;
  char buffer[4096];
  for (ssize_t n; (n = ::read(descriptor, buffer, sizeof buffer)) > 0;) {
    lines += static_cast<std::size_t>(std::count(buffer, buffer + n, '\n'));
  }
  return lines;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mcp_input)

BOOST_AUTO_TEST_CASE(lines_come_out_however_they_come_in) {
  Ends pipe;
  Input input(pipe.fd[0], -1, -1, 100);
  std::string line;
  pipe.write("one\ntw");
  BOOST_TEST((input.next(line) == Next::line));
  BOOST_TEST(line == "one");
  pipe.write("o\n\nthree\nend");
  for (const char* expected : {"two", "", "three"}) {
    BOOST_TEST((input.next(line) == Next::line));
    BOOST_TEST(line == expected);
  }
  pipe.close(1);
  BOOST_TEST((input.next(line) == Next::line));
  BOOST_TEST(line == "end");
  BOOST_TEST((input.next(line) == Next::end));
  BOOST_TEST((input.next(line) == Next::end));
}

BOOST_AUTO_TEST_CASE(a_long_line_is_reported_once_and_the_next_lines_are_read) {
  Ends pipe;
  Input input(pipe.fd[0], -1, -1, 100);
  std::string line;
  pipe.write(line_of(101));
  pipe.write(line_of(102));
  pipe.write("after\n");
  BOOST_TEST((input.next(line) == Next::line));
  BOOST_TEST(line.size() == 100);
  BOOST_TEST((input.next(line) == Next::too_long));
  BOOST_TEST((input.next(line) == Next::line));
  BOOST_TEST(line == "after");
  // The same line comes in pieces. The id of the request comes last.
  pipe.write(R"({"method":"m","params":{"a":")" + std::string(150, 'c'));
  auto waiting = std::async(std::launch::async, [&] { return input.next(line); });
  pipe.write(std::string(500, 'c'));
  pipe.write("\"},\"id\":7}\n");
  BOOST_TEST((waiting.get() == Next::too_long));
  BOOST_TEST(input.too_long_line().id() == "7");
  pipe.write(line_of(501));
  BOOST_TEST((input.next(line) == Next::too_long));
  BOOST_TEST(input.too_long_line().id().empty());
  pipe.write("last");
  pipe.close(1);
  BOOST_TEST((input.next(line) == Next::line));
  BOOST_TEST(line == "last");
  BOOST_TEST((input.next(line) == Next::end));
}

BOOST_AUTO_TEST_CASE(a_long_line_at_the_end_is_not_a_line) {
  Ends pipe;
  Input input(pipe.fd[0], -1, -1, 10);
  std::string line;
  pipe.write(std::string(50, 'c'));
  pipe.close(1);
  BOOST_TEST((input.next(line) == Next::too_long));
  BOOST_TEST((input.next(line) == Next::end));
}

BOOST_AUTO_TEST_CASE(a_wait_ends_when_it_is_woken_or_nobody_reads_the_output) {
  Ends pipe, out;
  const int wake = ::eventfd(0, EFD_CLOEXEC);
  std::string line;
  {
    Input input(pipe.fd[0], wake, out.fd[1], 10);
    auto waiting = std::async(std::launch::async, [&] { return input.next(line); });
    out.close(0);
    BOOST_TEST((waiting.get() == Next::end));
  }
  Input input(pipe.fd[0], wake, -1, 10);
  auto waiting = std::async(std::launch::async, [&] { return input.next(line); });
  BOOST_REQUIRE(::eventfd_write(wake, 1) == 0);
  BOOST_TEST((waiting.get() == Next::woken));
  ::close(wake);
}

BOOST_AUTO_TEST_CASE(nothing_is_read_while_the_output_is_full) {
  Ends pipe;
  Ends out;
  Output output(out.fd[1], [] {});
  const WakeUp wake;
  Input input(pipe.fd[0], wake.descriptor(), out.fd[1], 100);
  input.hold_while([&] { return output.is_full(); }, output.room());
  std::string line;
  pipe.write("one\ntwo\nthree\n");
  BOOST_TEST((input.next(line) == Next::line));
  int sent = 0;
  for (; !output.is_full(); ++sent) output.send(line_of(100'000));
  BOOST_TEST(sent > 20);
  wake.signal();
  BOOST_TEST((input.next(line) == Next::woken));
  wake.clear();
  auto reader = std::async(std::launch::async, [&] { return lines_of(out.fd[0]); });
  BOOST_TEST((input.next(line) == Next::line));
  BOOST_TEST(line == "two");
  output.finish(10s);
  out.close(1);
  BOOST_TEST(reader.get() == static_cast<std::size_t>(sent));
}

BOOST_AUTO_TEST_CASE(the_end_of_the_input_is_found_while_the_output_is_full) {
  for (const bool socket : {false, true}) {
    Ends pipe(socket);
    Ends out;
    Output output(out.fd[1], [] {});
    Input input(pipe.fd[0], -1, out.fd[1], 100);
    input.hold_while([&] { return output.is_full(); }, output.room());
    pipe.write("one\n");
    while (!output.is_full()) output.send(line_of(100'000));
    pipe.close(1);
    std::string line;
    BOOST_TEST((input.next(line) == Next::line));
    BOOST_TEST((input.next(line) == Next::end));
    output.finish(50ms);
  }
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_reader_ends_when_the_reader_is_gone) {
  ::signal(SIGPIPE, SIG_IGN);  // The program does so, too.
  Ends pipe;
  Ends out;
  Output output(out.fd[1], [] {});
  Input input(pipe.fd[0], -1, out.fd[1], 100);
  input.hold_while([&] { return output.is_full(); }, output.room());
  while (!output.is_full()) output.send(line_of(100'000));
  out.close(0);
  std::string line;
  BOOST_TEST((input.next(line) == Next::end));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_a_failure) {
  const int folder = ::open("/", O_RDONLY | O_CLOEXEC);
  Input input(folder, -1, -1, 10);
  std::string line;
  BOOST_TEST((input.next(line) == Next::failed));
  ::close(folder);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(mcp_output)

BOOST_AUTO_TEST_CASE(nobody_waits_for_a_slow_reader_and_nothing_is_lost) {
  for (const bool socket : {false, true}) {
    Ends ends(socket);
    std::atomic<bool> gone{false};
    Output output(ends.fd[1], [&] { gone.store(true); });
    const std::string line = line_of(10'000);
    for (int i = 0; i < 1000; ++i) output.send(line);  // Ten megabytes, far more than a pipe or a socket can buffer.
    auto reader = std::async(std::launch::async, [&] { return lines_of(ends.fd[0]); });
    output.finish(10s);
    ends.close(1);
    BOOST_TEST(reader.get() == 1000U);
    BOOST_TEST(!gone.load());
  }
}

// As root, the pipe can be opened again whatever its mode is.
BOOST_AUTO_TEST_CASE(a_pipe_that_cannot_be_opened_again_is_written_all_the_same) {
  Ends ends;
  BOOST_REQUIRE(::fchmod(ends.fd[1], 0) == 0);
  Output output(ends.fd[1], [] {});
  for (int i = 0; i < 100; ++i) output.send(line_of(10'000));
  auto reader = std::async(std::launch::async, [&] { return lines_of(ends.fd[0]); });
  output.finish(10s);
  ends.close(1);
  BOOST_TEST(reader.get() == 100U);
}

BOOST_AUTO_TEST_CASE(news_is_dropped_while_much_waits_and_answers_are_not) {
  Ends ends;
  Output output(ends.fd[1], [] {});
  const std::string line = line_of(10'000);
  int taken = 0;
  for (int i = 0; i < 1000; ++i) taken += output.send_notification(line) ? 1 : 0;
  BOOST_TEST(taken > 5);
  BOOST_TEST(taken < 100);
  output.send(line);
  auto reader = std::async(std::launch::async, [&] { return lines_of(ends.fd[0]); });
  output.finish(10s);
  ends.close(1);
  BOOST_TEST(reader.get() == static_cast<std::size_t>(taken) + 1);
}

BOOST_AUTO_TEST_CASE(whoever_waits_for_room_is_told_when_there_is_some_or_the_reader_is_gone) {
  ::signal(SIGPIPE, SIG_IGN);  // The program does so, too.
  for (const bool gone : {false, true}) {
    Ends ends;
    Output output(ends.fd[1], [] {});
    std::promise<bool> told;
    std::atomic<int> times{0};
    output.set_on_room([&] {
      if (++times == 1) told.set_value(output.is_full());
    });
    while (!output.is_full()) output.send(line_of(100'000));
    BOOST_TEST(times.load() == 0);
    std::future<std::size_t> reader;
    if (gone) {
      ends.close(0);
    } else {
      reader = std::async(std::launch::async, [&] { return lines_of(ends.fd[0]); });
    }
    BOOST_TEST(!told.get_future().get());
    output.finish(10s);
    ends.close(1);
    if (reader.valid()) BOOST_TEST(reader.get() > 0U);
    BOOST_TEST(times.load() == 1);
  }
}

BOOST_AUTO_TEST_CASE(a_reader_that_never_reads_is_not_waited_for) {
  Ends ends;
  Output output(ends.fd[1], [] {});
  output.send(std::string(1'000'000, 'x'));
  output.finish(50ms);
}

BOOST_AUTO_TEST_CASE(a_reader_that_is_gone_is_reported_once) {
  ::signal(SIGPIPE, SIG_IGN);  // The program does so, too.
  Ends ends;
  std::atomic<int> gone{0};
  Output output(ends.fd[1], [&] { ++gone; });
  ends.close(0);
  output.send("line\n");
  while (gone.load() == 0) std::this_thread::yield();
  output.send("line\n");
  BOOST_TEST(!output.send_notification("line\n"));
  output.finish(10s);
  BOOST_TEST(gone.load() == 1);
}

BOOST_AUTO_TEST_CASE(the_flags_of_the_descriptor_stay_as_they_are) {
  Ends ends;
  const int before = ::fcntl(ends.fd[1], F_GETFL);
  Output output(ends.fd[1], [] {});
  output.send("line\n");
  output.finish(10s);
  BOOST_TEST(::fcntl(ends.fd[1], F_GETFL) == before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace wtool::host::mcp
