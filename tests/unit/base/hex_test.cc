// base/hex.h
#include "base/hex.h"

#include <boost/test/unit_test.hpp>

namespace hex_test {

BOOST_AUTO_TEST_SUITE(hex)

BOOST_AUTO_TEST_CASE(a_byte_has_two_digits) {
  const unsigned char bytes[] = {0x00, 0x0A, 0xF9, 0xFF};
  BOOST_TEST(wtool::to_hex(bytes) == "000af9ff");
  BOOST_TEST(wtool::to_hex({}) == "");
}

BOOST_AUTO_TEST_CASE(random_texts_differ) {
  BOOST_TEST(wtool::random_hex(16).size() == 32U);
  BOOST_TEST(wtool::random_hex(16) != wtool::random_hex(16));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace hex_test
