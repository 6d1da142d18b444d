#include "base/shell_quote.h"

#include <algorithm>

#include "base/text.h"

namespace wtool {

void append_shell_quoted(std::string& out, std::string_view text) {
  out += '\'';
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  out += '\'';
}

std::string shell_quoted(std::string_view text) {
  std::string out;
  append_shell_quoted(out, text);
  return out;
}

std::string shell_word(std::string_view text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](const char c) {
    const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
    return !is_ascii || is_letter_or_digit(c) || std::string_view("_-+=:,./@%").find(c) != std::string_view::npos;
  });
  return is_plain ? std::string(text) : shell_quoted(text);
}

std::string with_backslashes(std::string_view text, std::string_view special) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace wtool
