#include "base/pilot/noise.h"

#include <sodium.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "base/pilot/aes_gcm.h"

namespace noise_test {

using namespace wtool::pilot;

namespace {

std::string bytes(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

Key key_of(std::string_view text) {
  Key key{};
  BOOST_REQUIRE(text.size() == key.size());
  std::copy(text.begin(), text.end(), key.begin());
  return key;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(noise)

// The keys, and the texts sent after the handshake, are those of the published test vectors. The vectors put a payload
// into the handshake, and we do not, so its two messages were computed by another implementation, which reproduces the
// vectors in full.
struct Vector {
  Suite suite;
  const char *begun_tag, *answer_tag;
  const char* said[3];
};

constexpr Vector vectors[] = {
    {Suite::chacha,
     "7d2395fef60548786e1547f1b1aaae4c",
     "6b65426400f8886ade62c6dc3a401b24",
     {"e632c3763d7669067383433197a3baddf146e9e70ad4b4e9e59e0f",
      "64c6bee32ea91c8474bb4c21d7a700109ad45af77b29764ba5eb1e",
      "e2fa0bed0603b62d3ccac2ecabbf3fe33f3e86514909b323361626266cb2471cc8"}},
    {Suite::aes,
     "b41da83a116df216674144826b970bb8",
     "ef99b263c37277f8a884eeb871baaebd",
     {"7c01e898a6201f36aecee532e29cd0b7f8ffa29d3366ad0dce39a6",
      "a9ff535aace3db6a1da1a7fb00fe2de2622bb373abad9fb42c00e0",
      "6cfc49a3e65472edc2d0152abe5ce950170a8a47c959f30bd48b5f0aacf29adbfd"}},
};

BOOST_AUTO_TEST_CASE(the_published_vectors_are_reproduced) {
  const Key shared = key_of("This is my Austrian perspective!");
  const Key pilots_own = key_of(bytes("893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a"));
  const Key hosts_own = key_of(bytes("bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b"));
  for (const Vector& vector : vectors) {
    if (vector.suite == Suite::aes && !has_aes()) continue;
    Handshake pilot(shared, "John Galt", pilots_own), host(shared, "John Galt", hosts_own);
    const std::string begun = pilot.begin(vector.suite);
    BOOST_TEST(
        (begun == bytes("ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944") + bytes(vector.begun_tag)));
    std::string answer;
    auto hosts = host.answer(begun, answer);
    BOOST_REQUIRE(hosts.has_value());
    BOOST_TEST((answer ==
                bytes("95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843") + bytes(vector.answer_tag)));
    auto pilots = pilot.finish(answer);
    BOOST_REQUIRE(pilots.has_value());
    BOOST_TEST((pilots->send.seal("F. A. Hayek") == bytes(vector.said[0])));
    BOOST_TEST((hosts->send.seal("Carl Menger") == bytes(vector.said[1])));
    BOOST_TEST((pilots->send.seal("Jean-Baptiste Say") == bytes(vector.said[2])));
  }
}

// The library does not promise, for every size and either cipher, that input and output may be the same buffer.
BOOST_AUTO_TEST_CASE(sealing_in_place_gives_what_the_library_makes_of_a_copy) {
  const Key key = random_key();
  for (const Suite suite : {Suite::chacha, Suite::aes}) {
    if (suite == Suite::aes && !has_aes()) continue;
    const auto seal = suite == Suite::aes ? crypto_aead_aes256gcm_encrypt : crypto_aead_chacha20poly1305_ietf_encrypt;
    for (std::size_t size = 0; size < 40'000; size += size < 600 ? 1 : 997) {
      std::string text(size, '\0'), expected(size + tag_size, '\0');
      randombytes_buf(text.data(), size);
      const unsigned char nonce[12] = {};
      seal(reinterpret_cast<unsigned char*>(expected.data()), nullptr,
           reinterpret_cast<const unsigned char*>(text.data()), size, nullptr, 0, nullptr, nonce, key.data());
      const std::string sealed = Cipher(key, suite).seal(text);
      BOOST_REQUIRE((sealed == expected));
      BOOST_REQUIRE((Cipher(key, suite).open(sealed) == text));
    }
  }
}

// All libraries with AES-GCM that this machine has, libsodium first.
std::vector<const AesGcm*> libraries_with_aes() {
  std::vector<const AesGcm*> found;
  for (const AesGcm* library : {AesGcm::of_sodium(), AesGcm::of_ipsec_mb()}) {
    if (library != nullptr) found.push_back(library);
  }
  return found;
}

BOOST_AUTO_TEST_CASE(what_one_library_seals_the_other_opens) {
  const auto libraries = libraries_with_aes();
  if (libraries.size() < 2) BOOST_TEST_MESSAGE("this machine has fewer than two libraries with AES-GCM");
  const Key key = random_key();
  AesGcm::Nonce nonce{};
  for (const AesGcm* sealing : libraries) {
    for (const AesGcm* opening : libraries) {
      for (const std::size_t size : {0, 1, 15, 16, 17, 255, 4096, 65'519}) {
        for (const std::string_view bound : {std::string_view{}, std::string_view("bound to this")}) {
          ++nonce[0];
          const std::string text(size, 'x');
          std::string record = text + std::string(tag_size, '\0');
          auto* const bytes = reinterpret_cast<unsigned char*>(record.data());
          sealing->seal(bytes, size, bound, nonce, key);
          BOOST_REQUIRE(opening->open(bytes, record.size(), bound, nonce, key));
          BOOST_REQUIRE(record.substr(0, size) == text);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(no_library_opens_a_record_of_which_anything_was_changed) {
  const Key key = random_key();
  const AesGcm::Nonce nonce{1, 2, 3};
  const std::string_view bound = "bound to this";
  for (const AesGcm* library : libraries_with_aes()) {
    std::string sealed = "a text of more than sixteen bytes" + std::string(tag_size, '\0');
    library->seal(reinterpret_cast<unsigned char*>(sealed.data()), sealed.size() - tag_size, bound, nonce, key);
    const auto opens = [&](std::string record, std::string_view with, const AesGcm::Nonce& of, const Key& by) {
      return library->open(reinterpret_cast<unsigned char*>(record.data()), record.size(), with, of, by);
    };
    BOOST_REQUIRE(opens(sealed, bound, nonce, key));
    for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
      std::string changed = sealed;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << bit % 8));
      BOOST_REQUIRE(!opens(changed, bound, nonce, key));
    }
    BOOST_TEST(!opens(sealed, "bound to that", nonce, key));
    BOOST_TEST(!opens(sealed, {}, nonce, key));
    BOOST_TEST(!opens(sealed, bound, AesGcm::Nonce{1, 2, 4}, key));
    BOOST_TEST(!opens(sealed, bound, nonce, random_key()));
    BOOST_TEST(!opens(sealed.substr(1), bound, nonce, key));
    BOOST_TEST(!opens(sealed.substr(0, tag_size - 1), bound, nonce, key));
    BOOST_TEST(!opens({}, bound, nonce, key));
  }
}

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
  // The other side does not have the key, so it can only make up its tag.
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
  for (const Suite suite : {Suite::chacha, Suite::aes}) {
    if (suite == Suite::aes && !has_aes()) continue;
    Handshake pilot(key);
    const std::string begun = pilot.begin(suite);
    for (std::size_t bit = 0; bit < begun.size() * 8; bit += 7) {
      std::string changed = begun, answer;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
      Handshake host(key);
      BOOST_TEST(!host.answer(changed, answer).has_value());
    }
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
  // A message that the pilot sent in the first connection cannot be opened in the second.
  const std::string recorded = pilots->send.seal("hello");
  BOOST_TEST(hosts->receive.open(recorded).has_value());
  BOOST_TEST(!replayed->receive.open(recorded).has_value());
}

BOOST_AUTO_TEST_CASE(a_record_that_comes_twice_or_out_of_order_or_changed_does_not_open) {
  const Key key = random_key();
  for (const Suite suite : {Suite::chacha, Suite::aes}) {
    if (suite == Suite::aes && !has_aes()) continue;
    Cipher sender(key, suite), receiver(key, suite);
    const std::string first = sender.seal("1"), second = sender.seal("2");
    Cipher early(key, suite);
    BOOST_TEST(!early.open(second).has_value());
    for (std::size_t bit = 0; bit < first.size() * 8; ++bit) {
      std::string changed = first;
      changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
      BOOST_TEST(!receiver.open(changed).has_value());
    }
    BOOST_TEST(!receiver.open(first.substr(0, tag_size - 1)).has_value());
    BOOST_TEST(receiver.open(first).value() == "1");
    BOOST_TEST(!receiver.open(first).has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace noise_test
