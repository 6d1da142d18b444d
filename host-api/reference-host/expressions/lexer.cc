#include "expressions/lexer.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/hex.h"
#include "base/text.h"
#include "base/utf8.h"

namespace wtool::host::expressions {

namespace {

// One quoted text that was read: "..." or '...'. Three quotes at each end allow quotes and newlines inside, and an r
// before the quotes makes backslashes literal. The escapes are those of CEL.
struct StringLiteral {
  std::string value;
  std::size_t end = 0;  // after the last quote
};

struct StringMistake {
  std::size_t offset = 0;
  std::string message;
};

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

// The character with this number, in UTF-8. Empty: no character has this number.
std::string utf8(std::uint32_t code) {
  std::string character;
  if (code <= 0x10ffff && (code < 0xd800 || code >= 0xe000)) append_utf8(character, code);
  return character;
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
        "an unknown escape; the escapes are \\\\ \\\" \\' \\` \\? \\a \\b \\f \\n \\r \\t \\v, and \\xHH \\uHHHH "
        "\\UHHHHHHHH "
        "\\OOO for a character by its number; in r\"...\" a backslash is an ordinary character";
    return false;
  }

  bool number(std::size_t skip, std::size_t digits, int base) {
    const std::string_view written = text_.substr(at_ + skip, digits);
    std::uint32_t code = 0;
    if (written.size() < digits || !read_number(written, code, base)) {
      mistake_ = "this escape needs " + std::to_string(digits) + (base == 8 ? " octal" : " hexadecimal") + " digits";
      return false;
    }
    const std::string character = utf8(code);
    if (character.empty()) {
      mistake_ = "no character has the number in this escape";
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

// Whether a quoted text begins at `at`.
bool is_string_start(std::string_view text, std::size_t at) {
  const auto quote_at = [&](std::size_t offset) {
    return offset < text.size() && (text[offset] == '"' || text[offset] == '\'');
  };
  return quote_at(at) || ((text[at] == 'r' || text[at] == 'R') && quote_at(at + 1));
}

// Reads the quoted text at `at`, where is_string_start() must be true.
std::variant<StringLiteral, StringMistake> read_string(std::string_view text, std::size_t at) {
  return LiteralReader(text, at).run();
}

bool is_hex_digit(char c) { return hex_value(c) >= 0; }

class Lexer {
 public:
  Lexer(std::string_view text, std::size_t begin, bool in_tag) : text_(text), at_(begin), in_tag_(in_tag) {}

  std::variant<std::vector<Token>, ExpressionError> run() {
    while (true) {
      skip_blanks();
      if (at_ == text_.size() || (in_tag_ && at_tag_end())) break;
      const char c = text_[at_];
      if (is_string_start(text_, at_)) {
        string();
      } else if (is_name_start(c)) {
        name();
      } else if (is_digit(c) || (c == '.' && is_digit(look(1)))) {
        number();
      } else {
        symbol();
      }
      if (error_) return *error_;
    }
    tokens_.push_back({Token::Kind::end, at_, {}, {}});
    return std::move(tokens_);
  }

 private:
  char look(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string_view rest() const { return text_.substr(at_); }

  void fail(std::size_t offset, std::string message) { error_ = ExpressionError{offset, std::move(message)}; }

  bool at_tag_end() const {
    return rest().starts_with("%}") || rest().starts_with("-%}") || (look(0) == '|' && look(1) != '|');
  }

  // Skips comments, too.
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (rest().starts_with("//")) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::string_view(" \t\n\r\f").find(text_[at_]) != std::string_view::npos) {
        ++at_;
      } else {
        return;
      }
    }
  }

  Token& push(Token::Kind kind, std::size_t begin, Value value = {}) {
    tokens_.push_back({kind, begin, text_.substr(begin, at_ - begin), std::move(value)});
    return tokens_.back();
  }

  // Reports a typographic quote or sign, which word processors put in place of a plain one. Names may contain all other
  // characters beyond ASCII.
  bool typographic() {
    for (const std::string_view quote : {"\u201c", "\u201d", "\u201e", "\u2018", "\u2019", "\u00ab", "\u00bb"}) {
      if (!rest().starts_with(quote)) continue;
      fail(at_, "this is a typographic quote; write the text in plain quotes, as in \"text\"");
      return true;
    }
    for (const auto& [sign, plain] :
         {std::pair("\u2260", "!="), std::pair("\u2264", "<="), std::pair("\u2265", ">=")}) {
      if (!rest().starts_with(sign)) continue;
      fail(at_, std::string(sign) + " is written " + plain);
      return true;
    }
    return false;
  }

  void name() {
    if (typographic()) return;
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if ((word == "b" || word == "B" || word == "br" || word == "rb") && (look(0) == '"' || look(0) == '\'')) {
      return fail(begin, "byte strings are not supported; write the text without the " + std::string(word));
    }
    if (word == "true" || word == "false") {
      push(Token::Kind::literal, begin, Value(word == "true"));
    } else {
      push(word == "null" ? Token::Kind::literal : Token::Kind::name, begin);
    }
  }

  void digits() {
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  }

  void number() {
    const std::size_t begin = at_;
    if (look(0) == '0' && (look(1) == 'x' || look(1) == 'X') && is_hex_digit(look(2))) {
      at_ += 2;
      while (at_ < text_.size() && is_hex_digit(text_[at_])) ++at_;
      return whole(begin, begin + 2, 16);
    }
    digits();
    bool fraction = false;
    if (look(0) == '.' && is_digit(look(1))) {
      fraction = true;
      ++at_;
      digits();
    }
    const bool sign = look(1) == '+' || look(1) == '-';
    if ((look(0) == 'e' || look(0) == 'E') && is_digit(look(sign ? 2 : 1))) {
      fraction = true;
      at_ += sign ? 2 : 1;
      digits();
    }
    if (!fraction) return whole(begin, begin, 10);
    if (!ends_here(begin)) return;
    const std::string_view written = text_.substr(begin, at_ - begin);
    double value = 0;
    const auto parsed = std::from_chars(written.data(), written.data() + written.size(), value);
    if (parsed.ec != std::errc()) return fail(begin, "the number " + std::string(written) + " is out of range");
    push(Token::Kind::literal, begin, Value(value));
  }

  void whole(std::size_t begin, std::size_t digits_begin, int base) {
    if (!ends_here(begin)) return;
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(text_.data() + digits_begin, text_.data() + at_, value, base);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (parsed.ec != std::errc() || value > most + 1) {
      return fail(begin, "the number " + std::string(text_.substr(begin, at_ - begin)) + " does not fit into 64 bits");
    }
    const bool only_negative = value > most;
    push(Token::Kind::literal, begin,
         Value(only_negative ? std::numeric_limits<std::int64_t>::min() : static_cast<std::int64_t>(value)))
        .only_negative = only_negative;
  }

  bool ends_here(std::size_t begin) {
    if (look(0) == 'u' || look(0) == 'U') {
      fail(begin, "there are no unsigned numbers; write the number without the u");
    } else if (at_ < text_.size() && is_name_start(text_[at_])) {
      fail(begin, "a letter cannot follow a number; put a text into quotes");
    }
    return !error_;
  }

  void string() {
    const std::size_t begin = at_;
    auto read = read_string(text_, at_);
    if (auto* mistake = std::get_if<StringMistake>(&read)) return fail(mistake->offset, std::move(mistake->message));
    auto& literal = std::get<StringLiteral>(read);
    at_ = literal.end;
    push(Token::Kind::literal, begin, Value(std::move(literal.value)));
  }

  void symbol() {
    for (const std::string_view foreign : {"===", "!=="}) {
      if (!rest().starts_with(foreign)) continue;
      return fail(at_, "there is no " + std::string(foreign) + "; write " + std::string(foreign.substr(0, 2)));
    }
    if (rest().starts_with("!~")) return fail(at_, "there is no !~; write !text.matches(\"pattern\")");
    if (rest().starts_with("<>")) return fail(at_, "there is no <>; write !=");
    static constexpr std::string_view known[] = {"==", "!=", "<=", ">=", "&&", "||", "<", ">", "!", "(", ")", ".",
                                                 ",",  "-",  "[",  "]",  "+",  "*",  "/", "%", "?", ":", "{", "}"};
    for (const std::string_view candidate : known) {
      if (!rest().starts_with(candidate)) continue;
      const std::size_t begin = at_;
      at_ += candidate.size();
      push(Token::Kind::symbol, begin);
      return;
    }
    switch (text_[at_]) {
      case '=':
        if (rest().starts_with("=~")) return fail(at_, "there is no =~; write text.matches(\"pattern\")");
        return fail(at_, "a single '=' compares nothing; write ==");
      case '&':
        return fail(at_, "a single '&' means nothing here; write &&");
      case '|':
        return fail(at_, "a single '|' means nothing here; write ||");
      case '$':
        return fail(at_, "write a variable in a condition by its name alone, without ${ }");
      default:
        if (rest().starts_with("`"))
          return fail(at_,
                      "a '`' means nothing here; write a text in quotes, and a field whose name is not a plain word "
                      "as [\"name\"]");
        return fail(at_, "the character " + quoted_for_message(rest().substr(0, 1)) + " means nothing here");
    }
  }

  std::string_view text_;
  std::size_t at_;
  bool in_tag_;
  std::vector<Token> tokens_;
  std::optional<ExpressionError> error_;
};

}  // namespace

bool is_name_start(char c) { return is_letter(c) || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0; }

bool is_name_character(char c) { return is_name_start(c) || is_digit(c); }

std::variant<std::vector<Token>, ExpressionError> tokenize(std::string_view text) {
  return Lexer(text, 0, false).run();
}

std::variant<std::vector<Token>, ExpressionError> tokenize_in_tag(std::string_view text, std::size_t begin) {
  // A longer expression is an error anyway, so the text after this limit is not read.
  return Lexer(text.substr(0, begin + max_expression + 1), begin, true).run();
}

}  // namespace wtool::host::expressions
