#include "base/shell_quote.h"

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
