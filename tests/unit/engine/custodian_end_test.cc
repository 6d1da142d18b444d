// What the plugin learns from a custodian that ends: its last message, and whether it read all that it was sent.
#include <sys/socket.h>

#include <boost/test/unit_test.hpp>
#include <cerrno>

#include "engine/custodian.h"

namespace custodian_end_test {

using namespace wtool;

namespace {

struct Ends {
  engine::Custodian custodian;
  Descriptor theirs;
  warden::Report heard{};

  Ends() {
    int pair[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
    custodian.socket = Descriptor(pair[0]);
    theirs = Descriptor(pair[1]);
  }

  void send_report(std::uint64_t call) const {
    warden::Report report{};
    report.header = {warden::Kind::report, 0, call};
    BOOST_REQUIRE(warden::send_message(theirs.get(), &report, sizeof report));
  }

  ssize_t hear() {
    errno = 0;
    return custodian.receive(heard).size;
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(the_end_of_a_custodian, Ends)

// The report and a request to end the call cross each other.
BOOST_AUTO_TEST_CASE(a_report_is_received_even_if_a_later_message_was_not_read) {
  custodian.send_end(7, std::chrono::milliseconds(50));
  send_report(7);
  theirs.reset();
  BOOST_TEST(hear() == static_cast<ssize_t>(sizeof heard));
  BOOST_TEST(heard.header.call == 7U);
  BOOST_TEST(hear() == -1);
  BOOST_TEST(errno == ECONNRESET);
}

BOOST_AUTO_TEST_CASE(a_custodian_that_read_nothing_is_told_apart_from_one_that_read_all) {
  BOOST_TEST(custodian.inspect());
  theirs.reset();
  BOOST_TEST(hear() == -1);
  BOOST_TEST(errno == ECONNRESET);

  Ends other;
  other.theirs.reset();
  BOOST_TEST(other.hear() == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace custodian_end_test
