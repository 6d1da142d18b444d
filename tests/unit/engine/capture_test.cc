// engine/capture.h: head and tail, true counts, bounded memory.
#include "engine/capture.h"

#include <boost/test/unit_test.hpp>

#include "base/utf8.h"

namespace capture_test {

using wtool::engine::Capture;

namespace {

std::string text_of(Capture& capture) {
  bool lossy = false;
  return capture.take_text(lossy);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(capture)

BOOST_AUTO_TEST_CASE(output_up_to_the_cap_is_kept_whole) {
  Capture capture(10);
  capture.append("01234");
  capture.append("56789");
  BOOST_TEST(!capture.truncated());
  BOOST_TEST(capture.total_bytes() == 10U);
  BOOST_TEST(text_of(capture) == "0123456789");
}

BOOST_AUTO_TEST_CASE(one_byte_more_than_the_cap_is_left_out_and_reported) {
  Capture capture(10);
  capture.append("0123456789A");
  BOOST_TEST(capture.truncated());
  BOOST_TEST(text_of(capture) == "01234\n[... 1 bytes left out ...]\n6789A");
}

// However the bytes are split into pieces, the result is the same.
BOOST_AUTO_TEST_CASE(pieces_do_not_matter) {
  std::string all;
  for (int i = 0; i < 500; ++i) all += std::to_string(i) + "\n";
  for (const std::size_t piece : {1U, 3U, 7U, 64U, 100U, 333U, 5000U}) {
    Capture capture(100);
    for (std::size_t at = 0; at < all.size(); at += piece) capture.append(std::string_view(all).substr(at, piece));
    const std::string head = all.substr(0, 50);
    const std::string tail = all.substr(all.size() - 50);
    BOOST_TEST(capture.total_bytes() == all.size());
    BOOST_TEST(text_of(capture) == head + (head.back() == '\n' ? "" : "\n") + "[... " +
                                       std::to_string(all.size() - 100) + " bytes left out ...]\n" + tail);
  }
}

// Reading into the place of the oldest bytes destroys them, so it is possible only once bytes have been left out
// anyway.
BOOST_AUTO_TEST_CASE(bytes_are_read_in_place_only_once_some_were_left_out) {
  Capture capture(10);
  capture.append("0123456789");
  BOOST_TEST(capture.room(5)[0].empty());
  BOOST_TEST(capture.whole()[0] == "01234");
  BOOST_TEST(capture.whole()[1] == "56789");
  capture.append("A");
  BOOST_TEST(capture.room(6)[0].empty());
  const auto room = capture.room(5);
  BOOST_REQUIRE(room[0].size() == 4U);
  BOOST_REQUIRE(room[1].size() == 1U);
  std::copy_n("BC", 2, room[0].begin());
  capture.append({room[0].data(), 2});
  BOOST_TEST(capture.total_bytes() == 13U);
  BOOST_TEST(text_of(capture) == "01234\n[... 3 bytes left out ...]\n89ABC");
}

// One read may fill the buffer up to its end and continue at its beginning.
BOOST_AUTO_TEST_CASE(bytes_that_were_read_in_two_parts_are_kept_in_their_order) {
  Capture capture(10);
  capture.append("0123456789");
  capture.append("ABC");
  const auto room = capture.room(5);
  BOOST_REQUIRE(room[0].size() == 2U);
  BOOST_REQUIRE(room[1].size() == 3U);
  std::copy_n("DE", 2, room[0].begin());
  std::copy_n("FG", 2, room[1].begin());
  capture.append({room[0].data(), 2});
  capture.append({room[1].data(), 2});
  BOOST_TEST(capture.total_bytes() == 17U);
  BOOST_TEST(text_of(capture) == "01234\n[... 7 bytes left out ...]\nCDEFG");
}

BOOST_AUTO_TEST_CASE(cuts_fall_between_characters) {
  std::string all;
  for (int i = 0; i < 100; ++i) all += "漢";
  for (std::size_t cap = 20; cap < 30; ++cap) {
    Capture capture(cap);
    capture.append(all);
    bool lossy = true;
    const std::string text = capture.take_text(lossy);
    BOOST_TEST(!lossy);
    const auto characters = [](std::size_t bytes) {
      std::string whole;
      for (; bytes >= 3; bytes -= 3) whole += "漢";
      return whole;
    };
    BOOST_TEST(text.starts_with(characters(cap / 2) + "\n[... "));
    BOOST_TEST(text.ends_with("left out ...]\n" + characters(cap - cap / 2)));
    BOOST_TEST(wtool::valid_utf8_prefix(text) == text.size());
  }
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_text_are_replaced_and_reported) {
  Capture capture(100);
  capture.append("a\xFF");
  bool lossy = false;
  BOOST_TEST(capture.take_text(lossy) == "a\xEF\xBF\xBD");
  BOOST_TEST(lossy);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace capture_test
