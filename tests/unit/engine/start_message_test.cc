// A command arrives unchanged (engine/start_request.h to warden/start_message.h), and malformed messages are refused,
// because no message may make the warden fail.
#include "warden/start_message.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <filesystem>
#include <thread>

#include "engine/start_request.h"

namespace start_message_test {

using namespace wtool;

namespace {

struct Sockets {
  Sockets() {
    int pair[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    ours = Descriptor(pair[0]);
    theirs = Descriptor(pair[1]);
  }
  Descriptor ours, theirs;
};

bool receive(warden::StartMessage& message, int socket) {
  static char buffer[warden::max_message];
  const warden::Received received = warden::receive_message(socket, buffer, sizeof buffer);
  return received.size > 0 && message.receive(socket, buffer, received);
}

std::vector<std::string> list(char* const* texts) {
  std::vector<std::string> result;
  for (; *texts != nullptr; ++texts) result.emplace_back(*texts);
  return result;
}

engine::Command sample(std::size_t large) {
  engine::Command command;
  command.paths = {"/usr/bin/x", "/bin/x"};
  command.arguments = {"x", "", std::string(large, 'a')};
  command.variables = {"A=1", "B="};
  command.shell = "/bin/sh";
  return command;
}

void check_round_trip(const engine::Command& command) {
  const Sockets sockets;
  const Descriptor null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const engine::Limits limits{1, 2, 3, 4, 5};
  engine::StartRequest request(command, limits);
  auto sending = engine::StartRequest::Sending::waiting;
  std::thread sender([&] {
    const int fd = null_device.get();
    while ((sending = request.send(sockets.ours.get(), {fd, fd, fd})) == engine::StartRequest::Sending::waiting) {
      pollfd writable{sockets.ours.get(), POLLOUT, 0};
      ::poll(&writable, 1, -1);
    }
  });
  warden::StartMessage message;
  BOOST_TEST(receive(message, sockets.theirs.get()));
  sender.join();
  BOOST_TEST((sending == engine::StartRequest::Sending::complete));
  BOOST_TEST(request.call() != 0U);
  BOOST_TEST(message.call() == request.call());
  const warden::SpawnPlan plan = message.plan();
  BOOST_TEST(list(plan.paths) == command.paths, boost::test_tools::per_element());
  BOOST_TEST(list(plan.arguments) == command.arguments, boost::test_tools::per_element());
  BOOST_TEST(list(plan.variables) == command.variables, boost::test_tools::per_element());
  BOOST_TEST(plan.shell == command.shell);
  BOOST_TEST(plan.directory >= 0);
  BOOST_TEST(plan.limits.cpu_seconds == limits.cpu_seconds);
  BOOST_TEST(plan.limits.memory_bytes == limits.memory_bytes);
  BOOST_TEST(plan.limits.processes == limits.processes);
  BOOST_TEST(plan.limits.open_files == limits.open_files);
  BOOST_TEST(plan.limits.file_bytes == limits.file_bytes);
}

// A sandbox as bytes: a filter of one instruction, two binds, a directory.
std::string sandbox_part(std::uint32_t filter, std::uint32_t binds) {
  const warden::SandboxPart part{filter, binds};
  std::string bytes(reinterpret_cast<const char*>(&part), sizeof part);
  bytes += "12345678";
  bytes.append("k/site\0r/site/kept\0/site\0", 25);
  return bytes;
}

// Sends a Start with these counts and this text, and returns whether it was accepted.
bool accepted(std::uint32_t paths, std::uint32_t arguments, std::uint32_t variables, const std::string& text,
              std::uint32_t text_bytes) {
  const Sockets sockets;
  const Descriptor null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  warden::Start start{{warden::Kind::start, 0, 1}, text_bytes, paths, arguments, variables, {}};
  std::string bytes(sizeof start, '\0');
  std::memcpy(bytes.data(), &start, sizeof start);
  bytes += text;
  const int fds[] = {null_device.get(), null_device.get(), null_device.get()};
  BOOST_REQUIRE(warden::send_message(sockets.ours.get(), bytes.data(), bytes.size(), fds, 3));
  ::shutdown(sockets.ours.get(), SHUT_WR);
  warden::StartMessage message;
  return receive(message, sockets.theirs.get());
}

}  // namespace

BOOST_AUTO_TEST_SUITE(start_message)

BOOST_AUTO_TEST_CASE(a_small_command_arrives_as_it_was) { check_round_trip(sample(10)); }

BOOST_AUTO_TEST_CASE(a_command_of_many_messages_arrives_as_it_was) { check_round_trip(sample(3'000'000)); }

BOOST_AUTO_TEST_CASE(a_sandbox_arrives_as_it_was) {
  const Sockets sockets;
  const Descriptor null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const int fd = null_device.get();
  const engine::Command command = sample(10);
  const engine::Confinement confinement{sandbox_part(1, 2), fd};
  engine::StartRequest request(command, {}, &confinement);
  BOOST_TEST((request.send(sockets.ours.get(), {fd, fd, fd}) == engine::StartRequest::Sending::complete));
  warden::StartMessage message;
  BOOST_REQUIRE(receive(message, sockets.theirs.get()));
  const warden::SpawnPlan plan = message.plan();
  BOOST_TEST(plan.shell == command.shell);
  BOOST_REQUIRE(plan.sandbox != nullptr);
  BOOST_TEST(plan.sandbox->ruleset >= 0);
  BOOST_TEST(plan.sandbox->directory == plan.directory);
  BOOST_TEST(plan.sandbox->filter_size == 1U);
  BOOST_TEST(std::memcmp(plan.sandbox->filter, "12345678", 8) == 0);
  BOOST_REQUIRE(plan.sandbox->bind_count == 2U);
  BOOST_TEST(plan.sandbox->binds[0] == std::string("k/site"));
  BOOST_TEST(plan.sandbox->binds[1] == std::string("r/site/kept"));
  BOOST_TEST(plan.sandbox->directory_path == std::string("/site"));
}

BOOST_AUTO_TEST_CASE(a_standard_input_arrives_with_and_without_a_ruleset) {
  const engine::Confinement confinement{sandbox_part(1, 2), ::open("/dev/zero", O_RDONLY | O_CLOEXEC)};
  const Descriptor ruleset(confinement.ruleset);
  const auto name_of = [](int fd) { return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(fd)); };
  for (const bool confined : {false, true}) {
    const Sockets sockets;
    const Descriptor null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const Descriptor input(::open("/dev/full", O_RDONLY | O_CLOEXEC));
    const int fd = null_device.get();
    const engine::Command command = sample(10);
    engine::StartRequest request(command, {}, confined ? &confinement : nullptr);
    BOOST_TEST(
        (request.send(sockets.ours.get(), {fd, fd, fd}, input.get()) == engine::StartRequest::Sending::complete));
    warden::StartMessage message;
    BOOST_REQUIRE(receive(message, sockets.theirs.get()));
    const warden::SpawnPlan plan = message.plan();
    BOOST_TEST(name_of(plan.standard_input) == "/dev/full");
    BOOST_TEST(name_of(plan.standard_output) == "/dev/null");
    BOOST_TEST((plan.sandbox != nullptr) == confined);
    if (confined) BOOST_TEST(name_of(plan.sandbox->ruleset) == "/dev/zero");
    message.finish();
    BOOST_TEST(message.plan().standard_input == -1);
  }
}

BOOST_AUTO_TEST_CASE(a_standard_input_that_does_not_come_or_was_not_named_is_refused) {
  const auto taken = [](std::uint32_t has_input, std::size_t descriptors) {
    const Sockets sockets;
    const Descriptor null_device(::open("/dev/null", O_RDWR | O_CLOEXEC));
    const std::string text("p\0a\0/bin/sh\0", 12);
    warden::Start start{};
    start.header = {warden::Kind::start, 0, 1};
    start.text_bytes = 12;
    start.paths = start.arguments = 1;
    start.has_input = has_input;
    std::string bytes(sizeof start, '\0');
    std::memcpy(bytes.data(), &start, sizeof start);
    bytes += text;
    const int fd = null_device.get();
    const int fds[] = {fd, fd, fd, fd, fd};
    BOOST_REQUIRE(warden::send_message(sockets.ours.get(), bytes.data(), bytes.size(), fds, descriptors));
    warden::StartMessage message;
    return receive(message, sockets.theirs.get());
  };
  BOOST_TEST(taken(0, 3));
  BOOST_TEST(taken(1, 4));
  BOOST_TEST(!taken(1, 3));
  BOOST_TEST(!taken(0, 4));  // a ruleset without its sandbox
  BOOST_TEST(!taken(0, 5));
}

BOOST_AUTO_TEST_CASE(malformed_sandboxes_are_refused) {
  const auto taken = [](const std::string& bytes) {
    warden::SandboxMessage message;
    return message.lay_out(bytes.data(), bytes.size());
  };
  BOOST_TEST(taken(sandbox_part(1, 2)));
  BOOST_TEST(!taken(sandbox_part(2, 2)));               // the filter reaches into the texts
  BOOST_TEST(!taken(sandbox_part(4'000'000'000U, 2)));  // absurd
  BOOST_TEST(!taken(sandbox_part(1, 1)));               // more texts than announced
  BOOST_TEST(!taken(sandbox_part(1, 3)));               // fewer
  BOOST_TEST(!taken(sandbox_part(1, 4'000'000'000U)));
  BOOST_TEST(!taken(sandbox_part(1, 2).substr(0, 4)));
  BOOST_TEST(!taken(sandbox_part(1, 2).substr(0, 16)));  // no directory
  BOOST_TEST(!taken(sandbox_part(1, 2) + "x"));          // the last text is not ended
}

BOOST_AUTO_TEST_CASE(malformed_messages_are_refused) {
  const std::string text("p\0a\0/bin/sh\0", 12);
  BOOST_TEST(accepted(1, 1, 0, text, 12));
  BOOST_TEST(!accepted(0, 1, 0, text, 12));                // nothing to execute
  BOOST_TEST(!accepted(1, 0, 0, text, 12));                // no argv[0]
  BOOST_TEST(!accepted(1, 1, 1, text, 12));                // fewer texts than announced
  BOOST_TEST(!accepted(1, 1, 0, text.substr(0, 11), 11));  // the last text is not ended
  BOOST_TEST(!accepted(2, 4'000'000'000U, 0, text, 12));   // absurd
  BOOST_TEST(!accepted(1, 1, 0, text, 100));               // the rest never comes
  BOOST_TEST(!accepted(1, 1, 0, text, 5));                 // more than announced
  BOOST_TEST(!accepted(1, 1, 0, text, warden::max_text + 1));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace start_message_test
