// The CBOR of orders and answers, which each call on a cluster writes and reads. nlohmann's reader is not used, for two
// reasons. It appends texts byte by byte, which took longer than everything else that a pilot does before it starts a
// command. And it recurses as deep as the bytes are nested.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::cluster {

// Nothing: the bytes are not one CBOR value of the kinds that JSON has, with definite lengths and each key once, or its
// arrays and objects are nested deeper than `deepest`.
std::optional<nlohmann::json> read_cbor(std::string_view bytes, int deepest);

// Writes an object without a JSON value in between, which would hold a second copy of each text.
class CborObject {
 public:
  void add(std::string_view key, std::string_view value);
  void add(std::string_view key, const std::vector<std::string>& values);
  void add(std::string_view key, std::integral auto value) {
    if constexpr (std::same_as<decltype(value), bool>) {
      add_flag(key, value);
    } else if constexpr (std::signed_integral<decltype(value)>) {
      add_number(key, value);
    } else {
      add_count(key, value);
    }
  }
  std::string bytes() const;

 private:
  void add_key(std::string_view key);
  void add_flag(std::string_view key, bool value);
  void add_number(std::string_view key, std::int64_t value);
  void add_count(std::string_view key, std::uint64_t value);

  std::uint64_t members_ = 0;
  std::string body_;
};

}  // namespace wtool::cluster
