#include "base/pilot/channel.h"

#include <sys/socket.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <thread>

namespace channel_test {

using namespace wtool;
using namespace wtool::pilot;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

namespace {

constexpr milliseconds patience{10'000};

struct Pair {
  Pair(const Key& hosts, const Key& pilots) {
    int ends[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    host = std::make_unique<Channel>(Descriptor(ends[0]), Channel::Side::host, hosts);
    pilot = std::make_unique<Channel>(Descriptor(ends[1]), Channel::Side::pilot, pilots);
  }
  // Shakes hands as far as possible.
  void shake_hands(Suite suite = Suite::chacha) {
    pilot->begin(suite);
    host->take_in();
    pilot->take_in();
  }
  std::unique_ptr<Channel> host, pilot;
};

// A host, and the other end of its socket, which the test uses as the peer.
struct Stranger {
  Stranger() {
    int ends[2];
    BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    host = std::make_unique<Channel>(Descriptor(ends[0]), Channel::Side::host, key);
    own = Descriptor(ends[1]);
  }
  void say(const std::string& text) const {
    BOOST_REQUIRE(::send(own.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
  }
  std::string hear(std::size_t size) const {
    std::string text(size, '\0');
    const ssize_t n = ::recv(own.get(), text.data(), size, MSG_DONTWAIT);
    return text.substr(0, n < 0 ? 0 : static_cast<std::size_t>(n));
  }
  // A handshake of somebody who has the key.
  Ciphers shake_hands() const {
    Handshake pilot(key);
    say(pilot.begin());
    BOOST_REQUIRE(host->take_in());
    auto ciphers = pilot.finish(hear(handshake_size));
    BOOST_REQUIRE(ciphers.has_value());
    return *ciphers;
  }
  static std::string record(const std::string& sealed) {
    return std::string{static_cast<char>(sealed.size() >> 8), static_cast<char>(sealed.size() & 0xff)} + sealed;
  }
  const Key key = random_key();
  std::unique_ptr<Channel> host;
  Descriptor own;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(channel)

BOOST_AUTO_TEST_CASE(messages_come_whole_and_in_order) {
  const Key key = random_key();
  Pair pair(key, key);
  pair.shake_hands();
  BOOST_REQUIRE(pair.pilot->send(Type::hello, "me"));
  BOOST_REQUIRE(pair.pilot->send(Type::beat, ""));
  auto first = pair.host->wait(patience), second = pair.host->wait(patience);
  BOOST_REQUIRE((first && second));
  BOOST_TEST((first->type == Type::hello));
  BOOST_TEST(first->text == "me");
  BOOST_TEST((second->type == Type::beat));
  BOOST_TEST(second->text.empty());
}

BOOST_AUTO_TEST_CASE(a_message_of_many_records_comes_whole) {
  const Key key = random_key();
  Pair pair(key, key);
  pair.shake_hands();
  std::string large(5'000'000, 'x');
  for (std::size_t i = 0; i < large.size(); i += 997) large[i] = static_cast<char>(i);
  std::thread sender([&] { pair.host->send(Type::call, large); });
  const auto message = pair.pilot->wait(patience);
  sender.join();
  BOOST_REQUIRE(message.has_value());
  BOOST_TEST((message->text == large));
}

BOOST_AUTO_TEST_CASE(messages_of_every_size_come_as_they_were_with_either_cipher) {
  const Key key = random_key();
  for (const Suite suite : {Suite::chacha, Suite::aes}) {
    if (suite == Suite::aes && !has_aes()) continue;
    Pair pair(key, key);
    pair.shake_hands(suite);
    for (const std::size_t size : {0, 1, 15, 16, 17, 255, 4096, 32767, 32768, 32769, 65535, 65536, 65537, 98304}) {
      std::string text(size, '\0');
      for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7 + i / 251);
      std::thread sender([&] { pair.host->send(Type::call, text); });
      const auto message = pair.pilot->wait(patience);
      sender.join();
      BOOST_REQUIRE(message.has_value());
      BOOST_TEST((message->type == Type::call));
      BOOST_TEST((message->text == text));
    }
  }
}

BOOST_AUTO_TEST_CASE(what_goes_with_the_next_message_comes_before_it) {
  const Key key = random_key();
  Pair pair(key, key);
  pair.shake_hands();
  BOOST_REQUIRE(pair.pilot->send_with_next(Type::hello, "me"));
  BOOST_TEST(!pair.host->wait(milliseconds(0)).has_value());
  BOOST_REQUIRE(pair.pilot->send(Type::beat, ""));
  const auto first = pair.host->wait(patience), second = pair.host->wait(patience);
  BOOST_REQUIRE((first && second));
  BOOST_TEST((first->type == Type::hello));
  BOOST_TEST(first->text == "me");
  BOOST_TEST((second->type == Type::beat));
}

BOOST_AUTO_TEST_CASE(what_goes_with_the_next_message_goes_alone_when_asked_to) {
  const Key key = random_key();
  Pair pair(key, key);
  pair.shake_hands();
  BOOST_REQUIRE(pair.pilot->send_with_next(Type::started, ""));
  BOOST_REQUIRE(pair.pilot->flush());
  const auto message = pair.host->wait(patience);
  BOOST_REQUIRE(message.has_value());
  BOOST_TEST((message->type == Type::started));
  BOOST_TEST(pair.pilot->flush());
  BOOST_TEST(!pair.host->wait(milliseconds(0)).has_value());
}

BOOST_AUTO_TEST_CASE(a_connection_that_rests_loses_nothing) {
  const Key key = random_key();
  Pair pair(key, key);
  pair.shake_hands();
  BOOST_REQUIRE(pair.pilot->send(Type::hello, "me"));
  BOOST_REQUIRE(pair.pilot->send(Type::beat, ""));
  BOOST_TEST(pair.host->wait(patience).has_value());
  pair.host->rest();  // The second message has been received, too.
  BOOST_TEST(pair.host->wait(patience).has_value());
  pair.host->rest();
  BOOST_REQUIRE(pair.pilot->send(Type::leaving, ""));
  const auto message = pair.host->wait(patience);
  BOOST_REQUIRE(message.has_value());
  BOOST_TEST((message->type == Type::leaving));
}

BOOST_AUTO_TEST_CASE(another_key_closes_the_connection) {
  Pair pair(random_key(), random_key());
  pair.shake_hands();
  BOOST_TEST((pair.host->state() == Channel::State::closed));
  BOOST_TEST((pair.pilot->state() == Channel::State::closed));
  BOOST_TEST(!pair.pilot->send(Type::hello, "me"));
}

BOOST_AUTO_TEST_CASE(garbage_closes_the_connection) {
  for (const std::string& text :
       {std::string(48, '\0'), std::string("GET / HTTP/1.1\r\n\r\n") + std::string(100, 'x')}) {
    Stranger stranger;
    stranger.say(text);
    BOOST_TEST(!stranger.host->take_in());
    BOOST_TEST((stranger.host->state() == Channel::State::closed));
  }
}

BOOST_AUTO_TEST_CASE(a_silent_peer_is_waited_for_no_longer_than_asked) {
  Stranger stranger;
  const auto began = Clock::now();
  BOOST_TEST(!stranger.host->wait(milliseconds(20)).has_value());
  BOOST_TEST((Clock::now() - began >= milliseconds(20)));
  BOOST_TEST((stranger.host->state() == Channel::State::begun));
}

BOOST_AUTO_TEST_CASE(a_replayed_connection_is_closed_at_its_first_record) {
  Stranger recorded;
  Handshake pilot(recorded.key);
  const std::string begun = pilot.begin();
  recorded.say(begun);
  BOOST_REQUIRE(recorded.host->take_in());
  auto ciphers = pilot.finish(recorded.hear(handshake_size));
  BOOST_REQUIRE(ciphers.has_value());
  const std::string hello = Stranger::record(ciphers->send.seal(std::string("\1H{}", 4)));
  recorded.say(hello);
  BOOST_TEST(recorded.host->wait(patience).has_value());

  int ends[2];
  BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  const Descriptor replayer(ends[1]);
  Channel host(Descriptor{ends[0]}, Channel::Side::host, recorded.key);
  const std::string all = begun + hello;
  BOOST_REQUIRE(::send(replayer.get(), all.data(), all.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(all.size()));
  BOOST_TEST(!host.wait(patience).has_value());
  BOOST_TEST((host.state() == Channel::State::closed));
}

BOOST_AUTO_TEST_CASE(a_record_that_was_changed_closes_the_connection) {
  Stranger stranger;
  Ciphers ciphers = stranger.shake_hands();
  std::string record = Stranger::record(ciphers.send.seal(std::string("\1Hello", 6)));
  record.back() = static_cast<char>(record.back() ^ 1);
  stranger.say(record);
  BOOST_TEST(!stranger.host->take_in());
}

BOOST_AUTO_TEST_CASE(a_record_without_content_closes_the_connection) {
  for (const std::string& length : {std::string(2, '\0'), std::string("\0\x10", 2)}) {
    Stranger stranger;
    stranger.shake_hands();
    stranger.say(length + std::string(16, 'x'));
    BOOST_TEST(!stranger.host->take_in());
  }
}

BOOST_AUTO_TEST_CASE(a_first_message_that_is_too_large_closes_the_connection) {
  Stranger stranger;
  Ciphers ciphers = stranger.shake_hands();
  stranger.say(Stranger::record(ciphers.send.seal('\1' + std::string(max_hello + 1, 'H'))));
  BOOST_TEST(!stranger.host->take_in());
}

BOOST_AUTO_TEST_CASE(what_was_sent_before_the_end_is_still_read) {
  const Key key = random_key();
  Pair pair(key, key);
  pair.shake_hands();
  BOOST_REQUIRE(pair.pilot->send(Type::leaving, ""));
  pair.pilot->close();
  const auto message = pair.host->wait(patience);
  BOOST_REQUIRE(message.has_value());
  BOOST_TEST((message->type == Type::leaving));
  BOOST_TEST(!pair.host->wait(patience).has_value());
  BOOST_TEST((pair.host->state() == Channel::State::closed));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace channel_test
