#include "expressions/string_literal.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

namespace wtool::host::expressions {
namespace {

constexpr std::array<std::pair<char, char>, 12> simple_escapes = {{{'a', '\a'},
                                                                   {'b', '\b'},
                                                                   {'f', '\f'},
                                                                   {'n', '\n'},
                                                                   {'r', '\r'},
                                                                   {'t', '\t'},
                                                                   {'v', '\v'},
                                                                   {'\\', '\\'},
                                                                   {'?', '?'},
                                                                   {'"', '"'},
                                                                   {'\'', '\''},
                                                                   {'`', '`'}}};

// Empty where the number is that of no character.
std::string utf8(std::uint32_t code) {
  const auto part = [](std::uint32_t bits) { return static_cast<char>(bits); };
  if (code < 0x80) return {part(code)};
  if (code < 0x800) return {part(0xc0 | code >> 6), part(0x80 | (code & 0x3f))};
  if (code >= 0xd800 && code < 0xe000) return {};
  if (code < 0x10000) return {part(0xe0 | code >> 12), part(0x80 | (code >> 6 & 0x3f)), part(0x80 | (code & 0x3f))};
  if (code > 0x10ffff) return {};
  return {part(0xf0 | code >> 18), part(0x80 | (code >> 12 & 0x3f)), part(0x80 | (code >> 6 & 0x3f)),
          part(0x80 | (code & 0x3f))};
}

class LiteralReader {
 public:
  LiteralReader(std::string_view text, std::size_t at) : text_(text), at_(at), begin_(at) {}

  std::variant<StringLiteral, StringMistake> run() {
    const bool raw = text_[at_] == 'r' || text_[at_] == 'R';
    if (raw) ++at_;
    const std::string three(3, text_[at_]);
    const std::string close = text_.substr(at_).starts_with(three) ? three : three.substr(0, 1);
    at_ += close.size();
    while (at_ < text_.size() && !text_.substr(at_).starts_with(close)) {
      if (text_[at_] != '\\' || raw) {
        value_ += text_[at_++];
      } else if (at_ + 1 == text_.size()) {
        ++at_;
      } else if (!escape()) {
        return StringMistake{at_, mistake_};
      }
    }
    if (at_ >= text_.size()) return StringMistake{begin_, "this text has no closing quote"};
    return StringLiteral{std::move(value_), at_ + close.size()};
  }

 private:
  bool escape() {
    const char kind = text_[at_ + 1];
    for (const auto& [letter, character] : simple_escapes) {
      if (letter != kind) continue;
      value_ += character;
      at_ += 2;
      return true;
    }
    if (kind == 'x' || kind == 'X') return number(2, 2, 16);
    if (kind == 'u') return number(2, 4, 16);
    if (kind == 'U') return number(2, 8, 16);
    if (kind >= '0' && kind <= '3') return number(1, 3, 8);
    mistake_ =
        "an unknown escape; allowed are \\\\ \\\" \\' \\` \\? \\a \\b \\f \\n \\r \\t \\v, and \\xHH \\uHHHH "
        "\\UHHHHHHHH "
        "\\OOO for a character by its number; in r\"...\" a backslash stands for itself";
    return false;
  }

  bool number(std::size_t skip, std::size_t digits, int base) {
    const std::string_view written = text_.substr(at_ + skip, digits);
    std::uint32_t code = 0;
    const auto parsed = std::from_chars(written.data(), written.data() + written.size(), code, base);
    if (written.size() < digits || parsed.ec != std::errc() || parsed.ptr != written.data() + written.size()) {
      mistake_ = "this escape needs " + std::to_string(digits) + (base == 8 ? " octal" : " hexadecimal") + " digits";
      return false;
    }
    const std::string character = utf8(code);
    if (character.empty()) {
      mistake_ = "this escape is the number of no character";
      return false;
    }
    value_ += character;
    at_ += skip + digits;
    return true;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t begin_;
  std::string value_;
  std::string mistake_;
};

}  // namespace

bool is_string_start(std::string_view text, std::size_t at) {
  const auto quote_at = [&](std::size_t offset) {
    return offset < text.size() && (text[offset] == '"' || text[offset] == '\'');
  };
  return quote_at(at) || ((text[at] == 'r' || text[at] == 'R') && quote_at(at + 1));
}

std::variant<StringLiteral, StringMistake> read_string(std::string_view text, std::size_t at) {
  return LiteralReader(text, at).run();
}

}  // namespace wtool::host::expressions
