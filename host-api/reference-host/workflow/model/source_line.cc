#include "workflow/model/source_line.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace wtool::host::workflow {
namespace {

// Characters that are shown before the place, and at and after it.
constexpr std::size_t max_before = 60;
constexpr std::size_t max_after = 60;

// The length of the character that text[at] begins; the text is valid UTF-8.
std::size_t length_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  const std::size_t length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
  return std::min(length, text.size() - at);
}

std::uint32_t code_at(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  std::uint32_t code = character.size() == 1   ? first
                       : character.size() == 2 ? first & 0x1fU
                       : character.size() == 3 ? first & 0x0fU
                                               : first & 0x07U;
  for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

// Two columns wide on a terminal: East Asian scripts, and pictures.
bool is_wide(std::uint32_t code) {
  return (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
         (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
         (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60) ||
         (code >= 0x1f300 && code <= 0x1faff);
}

}  // namespace

std::string line_with_caret(const Source& source, std::size_t offset) {
  offset = std::min(offset, source.text().size());
  const std::size_t index = source.line_at(offset);
  const std::string_view line = source.line(index);
  const auto start = static_cast<std::size_t>(line.data() - source.text().data());
  const std::size_t at = offset < start ? 0 : std::min(offset - start, line.size());

  std::size_t begin = at;
  for (std::size_t count = 0; begin > 0 && count < max_before; ++count) {
    do {
      --begin;
    } while (begin > 0 && (static_cast<unsigned char>(line[begin]) & 0xc0U) == 0x80);
  }
  std::string shown = begin > 0 ? "..." : "";
  std::string below(shown.size(), ' ');
  std::size_t end = begin;
  for (std::size_t count = 0; end < line.size() && count < max_after;) {
    const std::string_view character = line.substr(end, length_at(line, end));
    const std::uint32_t code = code_at(character);
    const bool is_tab = code == '\t';
    shown += is_tab || !is_control(code) ? std::string(character) : "?";
    if (end < at) {
      below += is_tab ? "\t" : is_wide(code) ? "  " : " ";
    } else {
      ++count;
    }
    end += character.size();
  }
  if (end < line.size()) shown += "...";
  const std::string number = std::to_string(index + 1);
  const std::string margin(number.size() < 5 ? 5 - number.size() : 0, ' ');
  std::string out = margin + number + " |" + (shown.empty() ? "" : " " + shown) + "\n";
  return out + std::string(margin.size() + number.size(), ' ') + " | " + below + "^\n";
}

}  // namespace wtool::host::workflow
