#include "base/raw_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/hex.h"
#include "base/json_text.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool {
namespace {

constexpr std::uint32_t no_digit = 0x10000;

// The values of hexadecimal digits. A result of control characters has more of them than of anything else.
constexpr std::array<std::uint32_t, 256> hex_digits = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::size_t c = 0; c < table.size(); ++c) {
    const int value = hex_value(static_cast<char>(c));
    table[c] = value < 0 ? no_digit : static_cast<std::uint32_t>(value);
  }
  return table;
}();

// The XXXX of \uXXXX at the beginning of `text`; more than 0xFFFF: it is not there.
inline std::uint32_t first_code_unit(std::string_view text) {
  if (text.size() < 4) return no_digit;
  const auto digit = [&text](std::size_t at) { return hex_digits[static_cast<unsigned char>(text[at])]; };
  return digit(0) << 12 | digit(1) << 8 | digit(2) << 4 | digit(3);
}

// Reads the same, and removes it from `text`. False: it is not there.
inline bool take_code_unit(std::string_view& text, std::uint32_t& unit) {
  unit = first_code_unit(text);
  if (unit > 0xFFFF) return false;
  text.remove_prefix(4);
  return true;
}

// The same for the character of the escape. A character above U+FFFF needs two such escapes.
inline bool take_code_point(std::string_view& text, std::uint32_t& point) {
  if (!take_code_unit(text, point)) return false;
  if (point < 0xD800 || point > 0xDFFF) return true;
  std::uint32_t low = 0;
  if (point > 0xDBFF || !text.starts_with("\\u")) return false;
  text.remove_prefix(2);
  if (!take_code_unit(text, low) || low < 0xDC00 || low > 0xDFFF) return false;
  point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
  return true;
}

// Appends the ASCII characters that are written as \u00XX at the beginning of `inside`, and returns how many there are.
// A result of control characters has nothing else.
std::size_t append_ascii_escapes(std::string& out, std::string_view inside) {
  std::array<char, 256> characters;
  std::size_t count = 0;
  for (; count < characters.size() && inside.starts_with("\\u00"); ++count) {
    const std::uint32_t unit = first_code_unit(inside.substr(2));
    if (unit >= 0x80) break;
    characters[count] = static_cast<char>(unit);
    inside.remove_prefix(6);
  }
  out.append(characters.data(), count);
  return count;
}

}  // namespace

// ---- Reading.

bool JsonCursor::value(RawJson& value) {
  const std::size_t begin = at_;
  if (!skip()) return false;
  value = RawJson(text_.substr(begin, at_ - begin));
  return true;
}

bool JsonCursor::skip() {
  switch (type()) {
    case RawJson::Type::missing:
      return false;
    case RawJson::Type::text:
      return string();
    case RawJson::Type::object:
      return object([this](std::string_view) { return skip(); });
    case RawJson::Type::array:
      return array([this] { return skip(); });
    case RawJson::Type::boolean:
      return word("true") || word("false");
    case RawJson::Type::null:
      return word("null");
    case RawJson::Type::number:
      return number();
  }
  return false;
}

bool JsonCursor::string() {
  if (!take('"')) return false;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (plain_in_json[static_cast<unsigned char>(c)]) {
      ++at_;
    } else if (c == '"') {
      ++at_;
      return true;
    } else if (c == '\\') {
      ++at_;
      if (!escape()) return false;
    } else {
      const Character character = first_character(text_.substr(at_));
      if (character.length == 1 || !character.valid) return false;
      at_ += character.length;
    }
  }
  return false;
}

bool JsonCursor::escape() {
  if (at_ == text_.size()) return false;
  const char c = text_[at_++];
  if (c != 'u') return std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
  std::string_view rest = text_.substr(at_);
  if (first_code_unit(rest) < 0xD800) {
    at_ += 4;
    return true;
  }
  std::uint32_t ignored = 0;
  if (!take_code_point(rest, ignored)) return false;
  at_ = text_.size() - rest.size();
  return true;
}

bool JsonCursor::word(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

bool JsonCursor::digits() {
  const std::size_t begin = at_;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return at_ > begin;
}

bool JsonCursor::number() {
  const std::size_t begin = at_;
  take('-');
  if (!take('0') && !digits()) return false;
  if (take('.') && !digits()) return false;
  const bool has_exponent = take('e') || take('E');
  if (has_exponent) {
    if (!take('+')) take('-');
    if (!digits()) return false;
  }
  // The largest double has 309 digits before its point.
  if (!has_exponent && at_ - begin < 300) return true;
  return std::isfinite(std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr));
}

// ---- Values.

std::string without_json_escapes(std::string_view inside) {
  std::string text;
  text.reserve(inside.size());
  while (!inside.empty()) {
    if (inside.front() != '\\') {
      const std::size_t backslash = std::min(inside.find('\\'), inside.size());
      text += inside.substr(0, backslash);
      inside.remove_prefix(backslash);
      continue;
    }
    if (const std::size_t count = append_ascii_escapes(text, inside); count > 0) {
      inside.remove_prefix(6 * count);
      continue;
    }
    const char c = inside[1];
    inside.remove_prefix(2);
    if (c == 'u') {
      std::uint32_t point = 0;
      take_code_point(inside, point);
      append_utf8(text, point);
    } else {
      const std::size_t letter = std::string_view("bfnrt").find(c);
      text += letter == std::string_view::npos ? c : "\b\f\n\r\t"[letter];
    }
  }
  return text;
}

RawJson RawJson::parse(std::string_view text) {
  JsonCursor cursor(text);
  RawJson value;
  return cursor.value(value) && cursor.is_at_end() ? value : RawJson();
}

RawJson::Type RawJson::type() const {
  if (raw_.empty()) return Type::missing;
  switch (raw_.front()) {
    case '"':
      return Type::text;
    case '{':
      return Type::object;
    case '[':
      return Type::array;
    case 't':
    case 'f':
      return Type::boolean;
    case 'n':
      return Type::null;
    default:
      return Type::number;
  }
}

std::optional<std::string> RawJson::text() const {
  if (type() != Type::text) return std::nullopt;
  return without_json_escapes(raw_.substr(1, raw_.size() - 2));
}

std::optional<bool> RawJson::boolean() const {
  if (type() != Type::boolean) return std::nullopt;
  return raw_.front() == 't';
}

std::optional<double> RawJson::number() const {
  if (type() != Type::number) return std::nullopt;
  double number = 0;
  const auto read = std::from_chars(raw_.data(), raw_.data() + raw_.size(), number);
  // The number is too close to 0. Only its sign is left.
  if (read.ec != std::errc()) return raw_.starts_with('-') ? -0.0 : 0.0;
  return number;
}

std::vector<RawJson::Member> RawJson::members() const { return members_of(raw_); }

std::vector<RawJson> RawJson::elements() const {
  std::vector<RawJson> elements;
  JsonCursor cursor(raw_);
  cursor.array([&] { return cursor.value(elements.emplace_back()); });
  return elements;
}

std::vector<RawJson::Member> members_of(std::string_view text) {
  std::vector<RawJson::Member> members;
  JsonCursor cursor(text);
  const bool is_object = cursor.object([&](std::string_view name) {
    members.push_back({name, RawJson()});
    return cursor.value(members.back().value);
  });
  if (!is_object || !cursor.is_at_end()) members.clear();
  return members;
}

RawJson find_member(const std::vector<RawJson::Member>& members, std::string_view name) {
  for (auto member = members.rbegin(); member != members.rend(); ++member) {
    const bool has_escape = member->name.find('\\') != std::string_view::npos;
    if (has_escape ? without_json_escapes(member->name) == name : member->name == name) return member->value;
  }
  return {};
}

}  // namespace wtool
