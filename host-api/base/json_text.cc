#include "base/json_text.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/utf8.h"

namespace wtool {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// The form of a character below 0x80 in a JSON text.
struct Escaped {
  std::array<char, 6> text{};
  unsigned char size = 0;
};

constexpr std::array<Escaped, 128> escapes = [] {
  constexpr char hex[] = "0123456789abcdef";
  std::array<Escaped, 128> table{};
  for (std::size_t c = 0; c < table.size(); ++c) table[c] = {{static_cast<char>(c)}, 1};
  for (std::size_t c = 0; c < 0x20; ++c) table[c] = {{'\\', 'u', '0', '0', hex[c >> 4], hex[c & 0xf]}, 6};
  const auto set = [&table](char c, char letter) { table[static_cast<unsigned char>(c)] = {{'\\', letter}, 2}; };
  set('"', '"');
  set('\\', '\\');
  set('\b', 'b');
  set('\f', 'f');
  set('\n', 'n');
  set('\r', 'r');
  set('\t', 't');
  return table;
}();

constexpr std::size_t short_text = 256;      // bytes
constexpr std::size_t long_text = 4096;      // bytes
constexpr std::size_t room_for_more = 4096;  // bytes, for what is appended after a long text

// Roughly how many bytes the text needs. Without this estimate, a long text of control characters would be copied each
// time that the string grows.
std::size_t size_with_escapes(std::string_view text) {
  std::size_t size = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    size += byte < escapes.size() ? escapes[byte].size : 1;
  }
  return size;
}

// Appends the escapes of the characters at the beginning of `text` that have one, and returns how many there are. They
// are put together first, because each append() costs more than an escape itself.
std::size_t append_escapes(std::string& out, std::string_view text) {
  std::array<char, 1024> written;
  std::size_t size = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const unsigned char byte = byte_at(text, at);
    if (byte >= escapes.size() || plain_in_json[byte]) break;
    const Escaped& escaped = escapes[byte];
    if (size + escaped.text.size() > written.size()) {
      out.append(written.data(), size);
      size = 0;
    }
    std::memcpy(written.data() + size, escaped.text.data(), escaped.text.size());
    size += escaped.size;
  }
  out.append(written.data(), size);
  return at;
}

bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return plain_in_json[static_cast<unsigned char>(c)]; });
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  // Most texts are short and need no escapes, so they are appended at once. A long text is not looked at twice.
  if (text.size() < short_text && is_plain(text)) {
    const std::size_t before = out.size();
    out.append(text.size() + 2, '"');
    text.copy(out.data() + before + 1, text.size());
    return;
  }
  out += '"';
  std::size_t at = 0;
  std::size_t begin = 0;  // of what has not been appended yet
  bool is_measured = text.size() < long_text;
  while (at < text.size()) {
    const unsigned char byte = byte_at(text, at);
    if (plain_in_json[byte]) {
      ++at;
      continue;
    }
    const bool has_escape = byte < escapes.size();
    const Character next = has_escape ? Character{byte, 1, true} : first_character(text.substr(at));
    if (!has_escape && next.valid) {
      at += next.length;
      continue;
    }
    if (!is_measured) out.reserve(out.size() + size_with_escapes(text) + room_for_more);
    is_measured = true;
    if (at > begin) out.append(text, begin, at - begin);
    if (has_escape) {
      at += append_escapes(out, text.substr(at));
    } else {
      out += replacement_character;
      at += next.length;
    }
    begin = at;
  }
  out.append(text, begin, at - begin);
  out += '"';
}

}  // namespace wtool
