#include "expressions/lexer.h"

#include <charconv>
#include <optional>

namespace wtool::host::expressions {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::variant<std::vector<Token>, ExpressionError> run() {
    while (true) {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
      if (at_ == text_.size()) break;
      const char c = text_[at_];
      if (is_name_start(c)) {
        name();
      } else if (is_digit(c)) {
        number();
      } else if (c == '"' || c == '\'') {
        string(c);
      } else {
        symbol();
      }
      if (error_) return *error_;
    }
    tokens_.push_back({Token::Kind::end, at_, {}, {}});
    return std::move(tokens_);
  }

 private:
  void fail(std::size_t offset, std::string message) { error_ = ExpressionError{offset, std::move(message)}; }

  void push(Token::Kind kind, std::size_t begin, Value value = {}) {
    tokens_.push_back({kind, begin, text_.substr(begin, at_ - begin), std::move(value)});
  }

  void name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false") return push(Token::Kind::literal, begin, Value(word == "true"));
    if (word == "null") return push(Token::Kind::literal, begin);
    push(Token::Kind::name, begin);
  }

  void number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    bool whole = true;
    if (at_ + 1 < text_.size() && text_[at_] == '.' && is_digit(text_[at_ + 1])) {
      whole = false;
      ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    if (at_ < text_.size() && is_name_start(text_[at_])) {
      return fail(begin, "a number cannot go on with a letter; put a text into quotes");
    }
    const std::string digits(text_.substr(begin, at_ - begin));
    if (whole) {
      std::int64_t value = 0;
      const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (parsed.ec != std::errc()) return fail(begin, "the number " + digits + " does not fit into 64 bits");
      return push(Token::Kind::literal, begin, Value(value));
    }
    double value = 0;
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (parsed.ec != std::errc()) return fail(begin, "the number " + digits + " is out of range");
    push(Token::Kind::literal, begin, Value(value));
  }

  void string(char quote) {
    const std::size_t begin = at_++;
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote) {
      char c = text_[at_];
      if (c == '\\') {
        if (++at_ == text_.size()) break;
        switch (text_[at_]) {
          case 'n':
            c = '\n';
            break;
          case 't':
            c = '\t';
            break;
          case 'r':
            c = '\r';
            break;
          case '\\':
          case '"':
          case '\'':
            c = text_[at_];
            break;
          default:
            return fail(at_ - 1, "an unknown escape; allowed are \\\\ \\\" \\' \\n \\r \\t");
        }
      }
      value += c;
      ++at_;
    }
    if (at_ >= text_.size()) return fail(begin, "this text has no closing quote");
    ++at_;
    push(Token::Kind::literal, begin, Value(std::move(value)));
  }

  void symbol() {
    static constexpr std::string_view known[] = {"==", "!=", "<=", ">=", "&&", "||", "<", ">",
                                                 "!",  "(",  ")",  ".",  ",",  "-",  "[", "]"};
    static constexpr std::string_view later[] = {"+", "*", "/", "%", "?", ":", "{", "}"};
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view candidate : known) {
      if (!rest.starts_with(candidate)) continue;
      const std::size_t begin = at_;
      at_ += candidate.size();
      return push(Token::Kind::symbol, begin);
    }
    for (const std::string_view candidate : later) {
      if (rest.starts_with(candidate)) return fail(at_, "'" + std::string(candidate) + "' is not supported yet here");
    }
    switch (rest.front()) {
      case '=':
        return fail(at_, "a single '=' compares nothing; write ==");
      case '&':
        return fail(at_, "a single '&' means nothing here; write &&");
      case '|':
        return fail(at_, "a single '|' means nothing here; write ||");
      case '$':
        return fail(at_, "a variable stands in a condition by its name alone, without ${ }");
      default:
        return fail(at_, "the character " + quoted_for_message(rest.substr(0, 1)) + " means nothing here");
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
  std::optional<ExpressionError> error_;
};

}  // namespace

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool is_name_character(char c) { return is_name_start(c) || is_digit(c); }

std::variant<std::vector<Token>, ExpressionError> tokenize(std::string_view text) { return Lexer(text).run(); }

}  // namespace wtool::host::expressions
