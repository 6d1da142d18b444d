// base/sha256.h
#include "base/sha256.h"

#include <boost/test/unit_test.hpp>

namespace sha256_test {

BOOST_AUTO_TEST_SUITE(sha_256)

// The examples of the standard (FIPS 180-4).
BOOST_AUTO_TEST_CASE(the_hash_is_the_standards) {
  BOOST_TEST(wtool::sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(wtool::sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

BOOST_AUTO_TEST_CASE(bytes_in_pieces_hash_as_the_whole_does) {
  wtool::Sha256 hash;
  hash.add("a");
  hash.add("");
  hash.add("bc");
  BOOST_TEST(hash.finish() == wtool::sha256("abc"));
}

BOOST_AUTO_TEST_CASE(only_64_lower_case_hexadecimal_digits_look_like_a_hash) {
  BOOST_TEST(wtool::is_sha256(std::string(64, 'a')));
  BOOST_TEST(!wtool::is_sha256(std::string(63, 'a')));
  BOOST_TEST(!wtool::is_sha256(std::string(64, 'A')));
  BOOST_TEST(!wtool::is_sha256(std::string(64, 'g')));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sha256_test
