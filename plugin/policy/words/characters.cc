#include "policy/words/characters.h"

#include <algorithm>
#include <array>

namespace wtool::policy {

namespace {

struct CharacterRange {
  std::uint32_t first;
  std::uint32_t last;
};

// Sorted. Variation selectors are not included: emoji contain them.
constexpr std::array<CharacterRange, 20> hidden = {{
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

bool is_hidden(std::uint32_t code_point) {
  const auto* span =
      std::lower_bound(hidden.begin(), hidden.end(), code_point,
                       [](const CharacterRange& each, std::uint32_t wanted) { return each.last < wanted; });
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

}  // namespace wtool::policy
