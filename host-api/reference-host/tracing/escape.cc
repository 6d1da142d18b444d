#include "tracing/escape.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace wtool::host {

namespace {

struct Decoded {
  std::uint32_t code = 0;
  std::size_t size = 0;  // bytes; 0 when what stands there is not UTF-8
};

// The character that `text`, which is not empty, begins with.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {};
  std::uint32_t code = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return {};
  return {code, size};
}

bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) ||        // C0, DEL, C1
         code == 0x061c || code == 0x200e || code == 0x200f ||  // writing direction: marks
         (code >= 0x2028 && code <= 0x202e) ||                  // line and paragraph separators, embeddings, overrides
         (code >= 0x2066 && code <= 0x2069);                    // isolates
}

}  // namespace

void append_escaped(std::string& out, std::string_view text, std::string_view keep) {
  while (!text.empty()) {
    const Decoded next = decode(text);
    char buffer[8];
    if (next.size == 0) {
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned>(static_cast<std::uint8_t>(text[0])));
      out += buffer;
      text.remove_prefix(1);
      continue;
    }
    if (!is_control(next.code) || (next.size == 1 && keep.find(text[0]) != std::string_view::npos)) {
      out += text.substr(0, next.size);
    } else if (next.code == '\n') {
      out += "\\n";
    } else if (next.code == '\t') {
      out += "\\t";
    } else if (next.code == '\r') {
      out += "\\r";
    } else {
      std::snprintf(buffer, sizeof buffer, next.code < 0x80 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(next.code));
      out += buffer;
    }
    text.remove_prefix(next.size);
  }
}

std::string escaped(std::string_view text, std::string_view keep) {
  std::string out;
  out.reserve(text.size());
  append_escaped(out, text, keep);
  return out;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = decode(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace wtool::host
