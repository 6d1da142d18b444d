// Appends a text to a line as a JSON string.
//
// What is written often, such as the records of a journal, is appended with this function alone: nlohmann's library
// would first copy each text into a value, and take ten times as long (docs/decisions/0026-rooms.md).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace wtool {

// The bytes that are characters of their own and need no escape in a JSON string.
inline constexpr std::array<bool, 256> plain_in_json = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x80; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

// Appends the text with its quotes. Bytes that are not UTF-8 become U+FFFD, as in to_utf8(), so this is always JSON.
void append_json_string(std::string& out, std::string_view text);

}  // namespace wtool
