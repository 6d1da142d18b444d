#include "base/pilot/noise.h"

#include <boost/test/unit_test.hpp>

using namespace wtool::pilot;

BOOST_AUTO_TEST_SUITE(noise)

BOOST_AUTO_TEST_CASE(two_sides_with_the_same_key_understand_each_other) {
  const Key key = random_key();
  Handshake pilot(key), host(key);
  std::string answer;
  auto hosts = host.answer(pilot.begin(), answer);
  BOOST_REQUIRE(hosts.has_value());
  auto pilots = pilot.finish(answer);
  BOOST_REQUIRE(pilots.has_value());
  BOOST_TEST(hosts->receive.open(pilots->send.seal("to the host")).value() == "to the host");
  BOOST_TEST(pilots->receive.open(hosts->send.seal("to the pilot")).value() == "to the pilot");
}

BOOST_AUTO_TEST_CASE(a_pilot_with_another_key_is_refused) {
  Handshake pilot(random_key()), host(random_key());
  std::string answer;
  BOOST_TEST(!host.answer(pilot.begin(), answer).has_value());
  BOOST_TEST(answer.empty());
}

BOOST_AUTO_TEST_CASE(a_host_with_another_key_is_refused) {
  const Key key = random_key();
  Handshake pilot(key);
  pilot.begin();
  // It knows no key, and so can only make up its tag.
  BOOST_TEST(!pilot.finish(std::string(handshake_size, 'x')).has_value());
}

BOOST_AUTO_TEST_CASE(another_protocol_with_the_same_key_is_refused) {
  const Key key = random_key();
  Handshake pilot(key, "wtool pilot 2"), host(key);
  std::string answer;
  BOOST_TEST(!host.answer(pilot.begin(), answer).has_value());
}

BOOST_AUTO_TEST_CASE(every_changed_bit_of_the_handshake_is_found) {
  const Key key = random_key();
  Handshake pilot(key);
  const std::string begun = pilot.begin();
  for (std::size_t bit = 0; bit < begun.size() * 8; bit += 7) {
    std::string changed = begun, answer;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    Handshake host(key);
    BOOST_TEST(!host.answer(changed, answer).has_value());
  }
}

BOOST_AUTO_TEST_CASE(a_replayed_beginning_gets_other_keys_and_cannot_be_continued) {
  const Key key = random_key();
  Handshake pilot(key), host(key), again(key);
  const std::string begun = pilot.begin();
  std::string answer, other_answer;
  auto hosts = host.answer(begun, answer);
  auto replayed = again.answer(begun, other_answer);
  auto pilots = pilot.finish(answer);
  BOOST_REQUIRE((hosts && replayed && pilots));
  // What the pilot said in the first connection does not open in the second.
  const std::string recorded = pilots->send.seal("hello");
  BOOST_TEST(hosts->receive.open(recorded).has_value());
  BOOST_TEST(!replayed->receive.open(recorded).has_value());
}

BOOST_AUTO_TEST_CASE(a_record_that_comes_twice_or_out_of_order_does_not_open) {
  const Key key = random_key();
  Cipher sender(key), receiver(key);
  const std::string first = sender.seal("1"), second = sender.seal("2");
  Cipher early(key);
  BOOST_TEST(!early.open(second).has_value());
  BOOST_TEST(receiver.open(first).value() == "1");
  BOOST_TEST(!receiver.open(first).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
