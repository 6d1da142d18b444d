#include "base/utf8.h"

#include <algorithm>
#include <cstring>

namespace wtool {

// The Unicode standard's table of well-formed sequences: only the range of the second byte depends on the first.
Character first_character(std::string_view bytes) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return {first, 1, true};
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  std::size_t length = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  } else {
    return {first, 1, false};
  }
  if (bytes.size() < 2 || at(1) < low || at(1) > high) return {first, 1, false};
  std::uint32_t code_point = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= bytes.size() || !continues_character(bytes[i])) return {first, i, false};
    code_point = code_point << 6U | (at(i) & 0x3FU);
  }
  return {code_point, length, true};
}

std::size_t valid_utf8_prefix(std::string_view bytes) noexcept {
  std::size_t at = 0;
  while (at < bytes.size()) {
    // Skips eight bytes of ASCII at a time, because most output is only ASCII.
    std::uint64_t word;
    while (bytes.size() - at >= sizeof word) {
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if ((word & 0x8080808080808080U) != 0) break;
      at += sizeof word;
    }
    if (at == bytes.size()) break;
    const Character next = first_character(bytes.substr(at));
    if (!next.valid) return at;
    at += next.length;
  }
  return at;
}

bool is_utf8(std::string_view bytes) noexcept { return valid_utf8_prefix(bytes) == bytes.size(); }

std::string to_utf8(std::string bytes, bool* replaced) {
  std::size_t valid = valid_utf8_prefix(bytes);
  if (replaced != nullptr) *replaced = valid != bytes.size();
  if (valid == bytes.size()) return bytes;
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 2);
  std::string_view rest(bytes);
  for (;;) {
    text.append(rest.substr(0, valid));
    rest.remove_prefix(valid);
    if (rest.empty()) return text;
    text.append(replacement_character);
    rest.remove_prefix(first_character(rest).length);
    valid = valid_utf8_prefix(rest);
  }
}

std::size_t cut_after(std::string_view bytes, std::size_t n) noexcept {
  for (std::size_t ahead = 0; ahead < 4 && n + ahead <= bytes.size(); ++ahead) {
    if (n + ahead == bytes.size() || !continues_character(bytes[n + ahead])) return n + ahead;
  }
  return std::min(n, bytes.size());
}

std::size_t cut_before(std::string_view bytes, std::size_t n) noexcept {
  if (n >= bytes.size()) return bytes.size();
  while (n > 0 && continues_character(bytes[n])) --n;
  return n;
}

std::string clipped(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  return std::string(text.substr(0, cut_before(text, most))) + "...";
}

std::size_t unfinished_character(std::string_view bytes) noexcept {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if (continues_character(bytes[bytes.size() - back])) continue;
    const std::size_t length = byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

std::size_t character_count(std::string_view text) noexcept {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

void append_utf8(std::string& text, std::uint32_t code_point) {
  const auto put = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put(0x80U | (code_point & 0x3FU));
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  } else {
    put(0xF0U | ((code_point >> 18U) & 0x07U));
    put(0x80U | ((code_point >> 12U) & 0x3FU));
    put(0x80U | ((code_point >> 6U) & 0x3FU));
    put(0x80U | (code_point & 0x3FU));
  }
}

}  // namespace wtool
