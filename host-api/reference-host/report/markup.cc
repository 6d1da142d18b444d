#include "report/markup.h"

#include "terminal/text.h"

namespace wtool::host::report {

std::string markup_text(std::string_view text) {
  const std::string clean = cleaned_for_terminal(text, true);
  std::string out;
  out.reserve(clean.size() + clean.size() / 16);
  for (std::size_t i = 0; i < clean.size(); ++i) {
    switch (clean[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '\xef':
        // U+FFFE and U+FFFF.
        if (clean.compare(i, 2, "\xef\xbf") == 0 && i + 2 < clean.size() &&
            static_cast<unsigned char>(clean[i + 2]) >= 0xbe) {
          out += '?';
          i += 2;
          break;
        }
        [[fallthrough]];
      default:
        out += clean[i];
    }
  }
  return out;
}

std::string bounded_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t begin = text.size() - most;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80) ++begin;
  return "[" + std::to_string(begin) + " bytes before this are left out]\n" + std::string(text.substr(begin));
}

std::string bounded_output(const std::string& text, const runner::WholeOutput& whole, std::size_t most) {
  if (!whole.cut) return bounded_text(text, most);
  std::string end = text;
  if (end.size() > most) {
    const std::string bounded = bounded_text(text, most);
    end = bounded.substr(bounded.find('\n') + 1);
  }
  return "[the output has " + std::to_string(whole.bytes) + " bytes and was cut; this is the end of it]\n" + end;
}

}  // namespace wtool::host::report
