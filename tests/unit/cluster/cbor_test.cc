#include "cluster/cbor.h"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace cbor_test {

using namespace wtool::cluster;
using nlohmann::json;

namespace {

std::string written(const json& value) {
  std::string bytes;
  json::to_cbor(value, bytes);
  return bytes;
}

bool is_read(std::string_view bytes) { return read_cbor(bytes, 8).has_value(); }

}  // namespace

BOOST_AUTO_TEST_CASE(what_the_library_has_written_is_read) {
  json all = {0, 23, 24, 255, 256, 65535, 65536, std::numeric_limits<std::uint64_t>::max()};
  for (const std::int64_t number : {-1L, -24L, -25L, -257L, -65537L, std::numeric_limits<std::int64_t>::min()}) {
    all.push_back(number);
  }
  for (const json& value :
       {json(nullptr), json(true), json(false), json(0.5), json(0.1), json(-1e300), json(""), json("caf\xe9\xff"),
        json(std::string(70'000, 'x')), json::array(), json::object(), json{{"a", {1, {{"b", {}}}}}, {"", "empty"}}}) {
    all.push_back(value);
  }
  const auto read = read_cbor(written(all), 8);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((*read == all));
}

BOOST_AUTO_TEST_CASE(an_object_is_written_as_the_library_reads_it) {
  const std::vector<std::string> texts{
      "", "caf\xe9\xff", std::string(23, 'a'), std::string(24, 'b'), std::string(256, 'c'), std::string(65'536, 'd')};
  CborObject object;
  json same = json::object();
  const auto add = [&](const std::string& key, const auto& value) {
    object.add(key, value);
    same[key] = value;
  };
  add("text", std::string("x"));
  add("texts", texts);
  add("none", std::vector<std::string>());
  add("yes", true);
  add("no", false);
  for (const std::uint64_t number : {0UL, 23UL, 24UL, 255UL, 256UL, 65'535UL, 65'536UL, 4'294'967'295UL,
                                     4'294'967'296UL, std::numeric_limits<std::uint64_t>::max()}) {
    add("count " + std::to_string(number), number);
  }
  for (const std::int64_t number : {1L, -1L, -24L, -25L, -257L, -65'537L, std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::int64_t>::min()}) {
    add("number " + std::to_string(number), number);
  }
  BOOST_TEST((json::from_cbor(object.bytes()) == same));
  const auto read = read_cbor(object.bytes(), 8);
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((*read == same));
}

BOOST_AUTO_TEST_CASE(whatever_is_read_the_library_reads_too) {
  std::string bytes = written({{"text", "abc"}, {"list", {1, -2, 0.5, true}}, {"inner", {{"x", nullptr}}}});
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(byte);
      const auto read = read_cbor(changed, 8);
      if (!read) continue;
      ++count;
      const json other = json::from_cbor(changed, true, false);
      BOOST_REQUIRE(!other.is_discarded());
      BOOST_REQUIRE((*read == other || read->dump(-1, ' ', true, json::error_handler_t::replace) ==
                                           other.dump(-1, ' ', true, json::error_handler_t::replace)));
    }
  }
  BOOST_TEST(count > 1000);
}

BOOST_AUTO_TEST_CASE(other_bytes_are_refused) {
  BOOST_TEST(!is_read(""));
  BOOST_TEST(!is_read(written(1) + written(2)));  // more than one value
  BOOST_TEST(
      !is_read("\x63"
               "ab"));  // a text that is too short
  BOOST_TEST(
      !is_read("\x7f\x61"
               "a\xff"));                // a text in parts
  BOOST_TEST(!is_read("\x9f\x01\xff"));  // an array without its length
  BOOST_TEST(
      !is_read("\x41"
               "a"));                    // bytes
  BOOST_TEST(!is_read("\xc1\x01"));      // a tag
  BOOST_TEST(!is_read("\xa1\x01\x01"));  // a key that is not a text
  BOOST_TEST(
      !is_read("\xa2\x61"
               "a\x01\x61"
               "a\x02"));                                        // a key twice
  BOOST_TEST(!is_read("\xf7"));                                  // undefined
  BOOST_TEST(!is_read("\x3b\xff\xff\xff\xff\xff\xff\xff\xff"));  // a number that does not fit
  BOOST_TEST(!is_read("\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
  BOOST_TEST(
      !is_read("\x7b\xff\xff\xff\xff\xff\xff\xff\xff"
               "a"));
}

BOOST_AUTO_TEST_CASE(nesting_is_bounded) {
  BOOST_TEST(read_cbor("\x81\x81\x01", 2).has_value());
  BOOST_TEST(!read_cbor("\x81\x81\x81\x01", 2).has_value());
  BOOST_TEST(!read_cbor("\xa1\x61"
                        "a\x81\x81\x01",
                        2)
                  .has_value());
}

}  // namespace cbor_test
