#include "policy/words/characters.h"

#include <algorithm>
#include <array>

namespace wtool::policy {

namespace {

struct Span {
  std::uint32_t first;
  std::uint32_t last;
};

// Sorted. Variation selectors are not among them: emoji contain them.
constexpr std::array<Span, 20> hidden = {{
    {0x00, 0x1F},        // control characters
    {0x7F, 0xA0},        // delete, more control characters, the no-break space
    {0xAD, 0xAD},        // soft hyphen
    {0x034F, 0x034F},    // combining grapheme joiner
    {0x061C, 0x061C},    // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x1680, 0x1680},    // Ogham space
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian separators
    {0x2000, 0x200F},    // spaces of many widths, zero width, direction marks
    {0x2028, 0x202F},    // line and paragraph separators, direction, narrow no-break space
    {0x205F, 0x206F},    // mathematical space, invisible operators, direction
    {0x2800, 0x2800},    // blank Braille pattern
    {0x3000, 0x3000},    // ideographic space
    {0x3164, 0x3164},    // Hangul filler
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // Hangul filler of half width
    {0xFFF0, 0xFFFB},    // interlinear annotation
    {0x1D173, 0x1D17A},  // musical formatting
    {0xE0000, 0xE0FFF},  // tags
}};

}  // namespace

Character character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (first < 0x80) return {first, 1, true};
  const Character invalid{first, 1, false};
  std::size_t length = 0;
  std::uint32_t code_point = 0;
  std::uint32_t least = 0;  // smaller ones have a shorter form, which is the valid one
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2, code_point = first & 0x1FU, least = 0x80;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3, code_point = first & 0x0FU, least = 0x800;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4, code_point = first & 0x07U, least = 0x10000;
  } else {
    return invalid;
  }
  if (text.size() - at < length) return invalid;
  for (std::size_t i = 1; i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[at + i]);
    if ((next & 0xC0U) != 0x80U) return invalid;
    code_point = (code_point << 6U) | (next & 0x3FU);
  }
  if (code_point < least || code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) return invalid;
  return {code_point, length, true};
}

bool is_hidden(std::uint32_t code_point) {
  const auto* span = std::lower_bound(hidden.begin(), hidden.end(), code_point,
                                      [](const Span& each, std::uint32_t wanted) { return each.last < wanted; });
  return span != hidden.end() && code_point >= span->first;
}

std::string name_of(std::uint32_t code_point) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  while (code_point > 0 || text.size() < 4) {
    text.insert(text.begin(), digits[code_point & 0xFU]);
    code_point >>= 4U;
  }
  return "U+" + text;
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

}  // namespace wtool::policy
