#include "cluster/cbor.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace wtool::cluster {

namespace {

using nlohmann::json;

enum Kind : unsigned { positive = 0, negative = 1, text = 3, array = 4, object = 5, simple = 7 };

struct Head {
  unsigned kind = 0;
  unsigned detail = 0;       // says how many bytes the number has
  std::uint64_t number = 0;  // the value itself, or how many bytes or entries follow
};

class Reader {
 public:
  Reader(std::string_view bytes, int deepest) : rest_(bytes), deepest_(deepest) {}

  bool at_end() const { return rest_.empty(); }

  bool value(json& to, int depth = 0) {
    Head head;
    if (!read_head(head)) return false;
    switch (head.kind) {
      case positive:
        to = head.number;
        return true;
      case negative:
        if (head.number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return false;
        to = -1 - static_cast<std::int64_t>(head.number);
        return true;
      case text: {
        std::string_view bytes;
        if (!take(head.number, bytes)) return false;
        to = std::string(bytes);
        return true;
      }
      case array:
        return depth < deepest_ && entries(head.number, to, depth + 1);
      case object:
        return depth < deepest_ && members(head.number, to, depth + 1);
      case simple:
        return simple_value(head, to);
      default:
        return false;
    }
  }

 private:
  bool take(std::uint64_t size, std::string_view& bytes) {
    if (size > rest_.size()) return false;
    bytes = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return true;
  }

  bool read_head(Head& head) {
    std::string_view bytes;
    if (!take(1, bytes)) return false;
    head.kind = static_cast<unsigned char>(bytes[0]) >> 5;
    head.detail = static_cast<unsigned char>(bytes[0]) & 31;
    head.number = head.detail;
    if (head.detail < 24) return true;
    if (head.detail > 27 || !take(std::uint64_t{1} << (head.detail - 24), bytes)) return false;
    head.number = 0;
    for (const char byte : bytes) head.number = head.number << 8 | static_cast<unsigned char>(byte);
    return true;
  }

  bool entries(std::uint64_t count, json& to, int depth) {
    json::array_t all;
    all.reserve(std::min<std::uint64_t>(count, 1024));
    for (; count > 0; --count) {
      if (!value(all.emplace_back(), depth)) return false;
    }
    to = std::move(all);
    return true;
  }

  bool members(std::uint64_t count, json& to, int depth) {
    json::object_t all;
    for (; count > 0; --count) {
      Head head;
      std::string_view key;
      if (!read_head(head) || head.kind != text || !take(head.number, key)) return false;
      const auto [member, fresh] = all.try_emplace(std::string(key));
      if (!fresh || !value(member->second, depth)) return false;
    }
    to = std::move(all);
    return true;
  }

  static bool simple_value(const Head& head, json& to) {
    switch (head.detail) {
      case 20:
      case 21:
        to = head.detail == 21;
        return true;
      case 22:
        to = nullptr;
        return true;
      case 26:
        to = std::bit_cast<float>(static_cast<std::uint32_t>(head.number));
        return true;
      case 27:
        to = std::bit_cast<double>(head.number);
        return true;
      default:
        return false;
    }
  }

  std::string_view rest_;
  const int deepest_;
};

void put_head(std::string& to, Kind kind, std::uint64_t number) {
  const unsigned size = number < 24 ? 0 : number <= 0xff ? 1 : number <= 0xffff ? 2 : number <= 0xffffffff ? 4 : 8;
  const unsigned detail =
      size == 0 ? static_cast<unsigned>(number) : 24U + static_cast<unsigned>(std::countr_zero(size));
  to += static_cast<char>(kind << 5 | detail);
  for (unsigned shift = size * 8; shift > 0; shift -= 8) to += static_cast<char>(number >> (shift - 8) & 0xff);
}

void put_text(std::string& to, std::string_view value) {
  put_head(to, text, value.size());
  to += value;
}

}  // namespace

void CborObject::add_key(std::string_view key) {
  ++members_;
  put_text(body_, key);
}

void CborObject::add(std::string_view key, std::string_view value) {
  add_key(key);
  put_text(body_, value);
}

void CborObject::add(std::string_view key, const std::vector<std::string>& values) {
  add_key(key);
  put_head(body_, array, values.size());
  for (const std::string& value : values) put_text(body_, value);
}

void CborObject::add_flag(std::string_view key, bool value) {
  add_key(key);
  put_head(body_, simple, value ? 21 : 20);
}

void CborObject::add_number(std::string_view key, std::int64_t value) {
  add_key(key);
  // A negative number n is written as -1 - n, which has the bits of ~n.
  put_head(body_, value < 0 ? negative : positive, static_cast<std::uint64_t>(value < 0 ? ~value : value));
}

void CborObject::add_count(std::string_view key, std::uint64_t value) {
  add_key(key);
  put_head(body_, positive, value);
}

std::string CborObject::bytes() const {
  std::string all;
  all.reserve(body_.size() + 9);
  put_head(all, object, members_);
  return all += body_;
}

std::optional<json> read_cbor(std::string_view bytes, int deepest) {
  Reader reader(bytes, deepest);
  json value;
  if (!reader.value(value) || !reader.at_end()) return std::nullopt;
  return value;
}

}  // namespace wtool::cluster
