// A message may bring more descriptors than a warden has room for, although nobody lowered the warden's limit while it
// ran. That request is lost, which its sender notices, and the warden serves the next one.
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>
#include <string>
#include <utility>

#include "base/descriptor.h"
#include "warden/protocol.h"

namespace warden_room_test {

using namespace wtool;

namespace {

std::pair<Descriptor, Descriptor> make_sockets() {
  int pair[2];
  BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
  return {Descriptor(pair[0]), Descriptor(pair[1])};
}

// A real warden that may have at most `most` descriptors open.
class SmallWarden {
 public:
  explicit SmallWarden(rlim_t most) {
    auto [ours, theirs] = make_sockets();
    control_ = std::move(ours);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(theirs.get(), 0);
      const rlimit limit{most, most};
      ::setrlimit(RLIMIT_NOFILE, &limit);
      ::execl(WTOOL_TEST_WARDEN, WTOOL_TEST_WARDEN, nullptr);
      ::_exit(1);
    }
  }
  ~SmallWarden() {
    control_.reset();
    ::waitpid(process_, nullptr, 0);
  }

  bool greets() const {
    const Descriptor host(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0U)));
    const int sent = host.get();
    const warden::Hello hello{{warden::Kind::hello, 0, 0}, warden::protocol_version, 0};
    warden::Welcome welcome{};
    return warden::send_message(control_.get(), &hello, sizeof hello, &sent, 1) &&
           warden::receive_message(control_.get(), &welcome, sizeof welcome).size == sizeof welcome &&
           welcome.problem == warden::WardenProblem::none;
  }

  // Asks for a custodian by a message with `count` descriptors. True if it is made; false if the socket that came with
  // the message is closed without an answer.
  bool makes_custodian(std::size_t count) const {
    auto [ours, theirs] = make_sockets();
    const int sent[] = {theirs.get(), theirs.get()};
    const warden::SpawnCustodian request{{warden::Kind::spawn_custodian, 0, 0}, ++number_};
    if (!warden::send_message(control_.get(), &request, sizeof request, sent, count)) return false;
    theirs.reset();
    warden::CustodianSpawned answer{};
    warden::Received received = warden::receive_message(ours.get(), &answer, sizeof answer);
    for (std::size_t i = 0; i < received.descriptor_count; ++i) ::close(received.descriptors[i]);
    return received.size == sizeof answer && answer.header.kind == warden::Kind::custodian_spawned && answer.pid > 0;
  }

 private:
  Descriptor control_;
  pid_t process_ = -1;
  mutable std::uint64_t number_ = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(only_the_request_whose_descriptors_find_no_room_is_lost) {
  // The test does not know how many descriptors a warden needs for itself. With one more than that, one descriptor
  // fits, but two do not.
  bool seen = false;
  for (rlim_t most = 5; most < 40 && !seen; ++most) {
    const SmallWarden warden(most);
    if (!warden.greets() || warden.makes_custodian(2)) continue;
    seen = warden.makes_custodian(1);
  }
  BOOST_TEST(seen);
}

BOOST_AUTO_TEST_CASE(a_message_that_is_too_large_for_its_receiver_is_an_error_and_its_descriptors_are_closed) {
  auto [ours, theirs] = make_sockets();
  auto [sent_along, other_end] = make_sockets();
  const std::string large(100, 'x');
  const int sent = sent_along.get();
  BOOST_REQUIRE(warden::send_message(ours.get(), large.data(), large.size(), &sent, 1));
  sent_along.reset();
  char buffer[10];
  const warden::Received received = warden::receive_message(theirs.get(), buffer, sizeof buffer);
  BOOST_TEST(errno == EMSGSIZE);
  BOOST_TEST(received.size < 0);
  BOOST_TEST(received.descriptor_count == 0U);
  BOOST_TEST(!received.descriptors_lost);
  // The other end sees that nobody has the socket any longer.
  char byte = 0;
  BOOST_TEST(::recv(other_end.get(), &byte, 1, MSG_DONTWAIT) == 0);
}

}  // namespace warden_room_test
