#include "base/escape.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>

#include "base/utf8.h"

namespace wtool {

bool is_control(std::uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0) ||        // C0, DEL, C1
         code_point == 0x061c || code_point == 0x200e || code_point == 0x200f ||  // writing direction: marks
         (code_point >= 0x2028 && code_point <= 0x202e) ||  // line and paragraph separators, embeddings, overrides
         (code_point >= 0x2066 && code_point <= 0x2069);    // isolates
}

namespace {

struct CodeRange {
  std::uint32_t first, last;
};

// In addition to the controls above: format characters, fillers and selectors without a glyph, blanks, private use, and
// letters that are written from right to left. Around such letters, a terminal may show the words of a line in another
// order than they have.
constexpr CodeRange deceptive[] = {
    {0x00a0, 0x00a0},     // no-break space
    {0x00ad, 0x00ad},     // soft hyphen
    {0x034f, 0x034f},     // combining grapheme joiner
    {0x0590, 0x08ff},     // Hebrew, Arabic, Syriac, Thaana, NKo and others: from right to left
    {0x115f, 0x1160},     // Hangul fillers
    {0x1680, 0x1680},     // Ogham space
    {0x17b4, 0x17b5},     // Khmer inherent vowels
    {0x180b, 0x180f},     // Mongolian selectors and vowel separator
    {0x2000, 0x200f},     // spaces, zero width, marks of direction
    {0x2028, 0x202f},     // separators, embeddings, overrides, narrow space
    {0x205f, 0x206f},     // mathematical space, word joiner, invisible operators, isolates
    {0x2800, 0x2800},     // blank braille pattern
    {0x3000, 0x3000},     // ideographic space
    {0x3164, 0x3164},     // Hangul filler
    {0xe000, 0xf8ff},     // private use
    {0xfb1d, 0xfdff},     // forms of Hebrew and Arabic
    {0xfe00, 0xfe0f},     // variation selectors
    {0xfe70, 0xfeff},     // forms of Arabic, byte order mark
    {0xffa0, 0xffa0},     // halfwidth Hangul filler
    {0xfff0, 0xfffc},     // interlinear annotation, object replacement
    {0xfffe, 0xffff},     // noncharacters
    {0x10800, 0x10fff},   // old scripts from right to left
    {0x110bd, 0x110bd},   // Kaithi number signs
    {0x110cd, 0x110cd},   // Kaithi number sign above
    {0x13430, 0x1345f},   // Egyptian format controls
    {0x16fe4, 0x16fe4},   // Khitan filler
    {0x1bca0, 0x1bca3},   // shorthand format controls
    {0x1d159, 0x1d159},   // musical null notehead
    {0x1d173, 0x1d17a},   // musical format controls
    {0x1e800, 0x1efff},   // Mende Kikakui, Adlam and others: from right to left
    {0xe0000, 0x10ffff},  // tags, selectors, private use
};

bool is_deceptive(std::uint32_t code) {
  return std::any_of(std::begin(deceptive), std::end(deceptive),
                     [&](const CodeRange& range) { return code >= range.first && code <= range.last; });
}

enum class Backslash { as_it_is, doubled };

// `is_odd` says which characters are escaped.
template <typename IsOdd>
void append(std::string& out, std::string_view text, std::string_view keep, IsOdd is_odd,
            Backslash backslash = Backslash::as_it_is) {
  while (!text.empty()) {
    const Character next = first_character(text);
    char buffer[12];
    if (!next.valid) {
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned>(static_cast<std::uint8_t>(text[0])));
      out += buffer;
      text.remove_prefix(1);
      continue;
    }
    if (!is_odd(next.code_point) || (next.length == 1 && keep.find(text[0]) != std::string_view::npos)) {
      out += text.substr(0, next.length);
      if (backslash == Backslash::doubled && text[0] == '\\') out += '\\';
    } else if (next.code_point == '\n') {
      out += "\\n";
    } else if (next.code_point == '\t') {
      out += "\\t";
    } else if (next.code_point == '\r') {
      out += "\\r";
    } else {
      const char* format = next.code_point < 0x80 ? "\\x%02x" : next.code_point < 0x10000 ? "\\u%04x" : "\\U%08x";
      std::snprintf(buffer, sizeof buffer, format, static_cast<unsigned>(next.code_point));
      out += buffer;
    }
    text.remove_prefix(next.length);
  }
}

}  // namespace

void append_escaped(std::string& out, std::string_view text, std::string_view keep) {
  append(out, text, keep, is_control);
}

std::string visible(std::string_view text, std::string_view keep) {
  const auto is_odd = [](std::uint32_t code) { return is_control(code) || is_deceptive(code); };
  std::string out;
  append(out, text, keep, is_odd);
  if (out == text) return out;
  out.clear();
  append(out, text, keep, is_odd, Backslash::doubled);
  return out;
}

std::string escaped(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size());
  append_escaped(out, text, keep);
  return out;
}

}  // namespace wtool
