#include "base/pilot/munge.h"

#include <sys/socket.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>

#include "base/pilot/channel.h"

namespace munge_test {

using namespace wtool;
using namespace wtool::pilot;
using std::chrono::milliseconds;

namespace {

// A host that hands out its key, and the pilot's end of the socket. In place of munge, the credential is the bare payload.
struct MungePair {
  explicit MungePair(bool gives = true) {
    int ends[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    host =
        std::make_unique<Channel>(Descriptor(ends[0]), Channel::Side::host, key, [this, gives](std::string_view begun) {
          ++asked;
          return gives ? framed(introduced(begun, key)) : std::string();
        });
    pilot = Descriptor(ends[1]);
  }
  void say(const std::string& text) const {
    BOOST_REQUIRE(::send(pilot.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  std::string hear() const {
    char buffer[1024];
    const ssize_t n = ::recv(pilot.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    return {buffer, n < 0 ? 0 : static_cast<std::size_t>(n)};
  }
  const Key key = random_key();
  int asked = 0;
  std::unique_ptr<Channel> host;
  Descriptor pilot;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(munge)

BOOST_AUTO_TEST_CASE(a_pilot_learns_the_key_and_shakes_hands_on_the_same_connection) {
  MungePair pair;
  const Key nonce = random_key();
  pair.say(introduction(nonce));
  BOOST_REQUIRE(pair.host->take_in());
  const std::string answer = pair.hear();
  BOOST_REQUIRE(answer.size() == 2 + introduction_size + key_size);
  const auto key = key_of(answer.substr(2), nonce);
  BOOST_REQUIRE(key.has_value());
  BOOST_TEST((*key == pair.key));
  Channel pilot(std::move(pair.pilot), Channel::Side::pilot, *key);
  BOOST_REQUIRE(pilot.begin());
  BOOST_REQUIRE(pair.host->take_in());
  BOOST_REQUIRE(pilot.take_in());
  BOOST_REQUIRE(pilot.send(Type::hello, "me"));
  const auto hello = pair.host->wait(milliseconds(10'000));
  BOOST_REQUIRE(hello.has_value());
  BOOST_TEST(hello->text == "me");
}

BOOST_AUTO_TEST_CASE(a_replayed_answer_is_of_another_nonce) {
  const Key key = random_key(), then = random_key(), now = random_key();
  const std::string recorded = introduced(introduction(then), key);
  BOOST_TEST(key_of(recorded, then).has_value());
  BOOST_TEST(!key_of(recorded, now).has_value());
  BOOST_TEST(!key_of(recorded.substr(1), then).has_value());
  BOOST_TEST(!key_of(recorded + "x", then).has_value());
  BOOST_TEST(!key_of("", then).has_value());
}

BOOST_AUTO_TEST_CASE(a_stranger_gets_one_credential_and_then_the_handshake_or_nothing) {
  MungePair pair;
  pair.say(introduction(random_key()) + introduction(random_key()));
  BOOST_TEST(!pair.host->take_in());
  BOOST_TEST(pair.asked == 1);
  BOOST_TEST((pair.host->state() == Channel::State::closed));
}

BOOST_AUTO_TEST_CASE(a_stranger_without_a_key_gets_no_further_than_the_credential) {
  MungePair pair;
  pair.say(introduction(random_key()));
  BOOST_REQUIRE(pair.host->take_in());
  pair.say(std::string(handshake_size, 'x'));
  BOOST_TEST(!pair.host->take_in());
}

BOOST_AUTO_TEST_CASE(garbage_is_not_an_introduction) {
  MungePair pair;
  pair.say("wtool munge 2" + std::string(introduction_size - 13, '\0'));
  BOOST_TEST(!pair.host->take_in());
  BOOST_TEST(pair.asked == 0);
}

BOOST_AUTO_TEST_CASE(part_of_an_introduction_is_waited_for) {
  MungePair pair;
  const std::string begun = introduction(random_key());
  pair.say(begun.substr(0, 20));
  BOOST_TEST(pair.host->take_in());
  BOOST_TEST(pair.asked == 0);
  pair.say(begun.substr(20));
  BOOST_TEST(pair.host->take_in());
  BOOST_TEST(pair.asked == 1);
}

BOOST_AUTO_TEST_CASE(a_host_without_a_credential_closes_the_connection) {
  MungePair pair(false);
  pair.say(introduction(random_key()));
  BOOST_TEST(!pair.host->take_in());
  BOOST_TEST((pair.host->state() == Channel::State::closed));
}

BOOST_AUTO_TEST_CASE(a_munged_that_is_not_there_is_named_in_the_error) {
  std::string error;
  const auto library = Munge::open("/nowhere/munge.socket", error);
  if (!library) {
    BOOST_TEST(error.find("libmunge") != std::string::npos);
    return;
  }
  BOOST_TEST(!library->encode("x", error).has_value());
  BOOST_TEST(error.find("munge made no credential") != std::string::npos);
  BOOST_TEST(!library->decode("MUNGE:garbage:", error).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace munge_test
