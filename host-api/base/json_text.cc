#include "base/json_text.h"

#include <array>

#include "base/utf8.h"

namespace wtool {
namespace {

// Bytes that a JSON text contains unescaped, and that are one character each.
constexpr std::array<bool, 256> plain = [] {
  std::array<bool, 256> table{};
  for (std::size_t c = 0x20; c < 0x80; ++c) table[c] = c != '"' && c != '\\';
  return table;
}();

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

void append_escape(std::string& out, char c) {
  static constexpr char hex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      out += "\\u00";
      out += hex[(c >> 4) & 0xf];
      out += hex[c & 0xf];
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  std::size_t at = 0;
  std::size_t begin = 0;  // of what has not been appended yet
  while (at < text.size()) {
    if (plain[byte_at(text, at)]) {
      ++at;
      continue;
    }
    const Character next = first_character(text.substr(at));
    if (next.length == 1 || !next.valid) {
      out.append(text, begin, at - begin);
      begin = at + next.length;
      if (next.valid) {
        append_escape(out, text[at]);
      } else {
        out += "\xef\xbf\xbd";
      }
    }
    at += next.length;
  }
  out.append(text, begin, at - begin);
  out += '"';
}

}  // namespace wtool
