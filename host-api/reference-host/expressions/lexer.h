// Cuts the text of an expression into tokens, and reads the tokens one after the other. Takes linear time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "expressions/value.h"

namespace wtool::host::expressions {

inline constexpr std::size_t max_expression = 16384;  // bytes

// Where and why a text was not understood, or could not be evaluated.
struct ExpressionError {
  std::size_t offset = 0;  // bytes from the start of the text that was parsed
  std::string message;     // for people; without the place
};

struct Token {
  enum class Kind { end, name, literal, symbol };
  Kind kind = Kind::end;
  std::size_t offset = 0;
  std::string_view text;       // a part of the expression, which must outlive the token
  Value value;                 // of a literal: int, double, string, bool or null
  bool only_negative = false;  // 9223372036854775808, which is an int only after a minus
};

// A name starts with a letter, an underscore or any character beyond ASCII, and continues with such characters and
// digits.
bool is_name_start(char c);
bool is_name_character(char c);

// Cuts the whole text into tokens. The last one is always `end`.
std::variant<std::vector<Token>, ExpressionError> tokenize(std::string_view text);

// The tokens from `begin` up to the mark that ends an expression in a template's tag: `%}`, `-%}`, or the `|` before a
// filter. The `end` token has the offset of that mark.
std::variant<std::vector<Token>, ExpressionError> tokenize_in_tag(std::string_view text, std::size_t begin);

// Reads the tokens of an expression one after the other, and keeps the first mistake that is found in them.
class TokenReader {
 public:
  // `tokens` must end with an `end`.
  explicit TokenReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[at_]; }
  // Returns the current token, and moves to the next one; stays at the `end`.
  const Token& next() { return current().kind == Token::Kind::end ? current() : tokens_[at_++]; }

  bool sees(std::string_view symbol) const { return current().kind == Token::Kind::symbol && current().text == symbol; }
  bool sees_word(std::string_view word) const { return current().kind == Token::Kind::name && current().text == word; }
  // True if a value follows the current token.
  bool is_followed() const {
    if (at_ + 1 >= tokens_.size()) return false;
    const Token& behind = tokens_[at_ + 1];
    return behind.kind == Token::Kind::name || behind.kind == Token::Kind::literal || behind.text == "(";
  }
  bool take(std::string_view symbol) {
    if (!sees(symbol)) return false;
    next();
    return true;
  }

  const std::optional<ExpressionError>& error() const { return error_; }
  bool failed() const { return error_.has_value(); }
  // Keeps only the first error: what follows it is guesswork.
  void fail(std::size_t offset, std::string message) {
    if (!error_) error_ = ExpressionError{offset, std::move(message)};
  }
  void unexpected() {
    const Token& token = current();
    if (token.kind == Token::Kind::end) return fail(token.offset, "the expression ends where a value is expected");
    if (token.text == ")" || token.text == "]" || token.text == "}") {
      return fail(token.offset, "this '" + std::string(token.text) + "' closes nothing");
    }
    if (const std::string_view written = written_for(token.text); !written.empty()) {
      return fail(token.offset, quoted_for_message(token.text) + " is written " + std::string(written) + " here");
    }
    fail(token.offset, quoted_for_message(token.text) +
                           " is not expected here; between two values, write one of == != < <= > >= && || in + - * / "
                           "% ? :");
  }

 private:
  // What to write here instead of `word`, an operator of other languages; empty: it is not such a word.
  static std::string_view written_for(std::string_view word) {
    for (const auto& [foreign, ours] : {std::pair<std::string_view, std::string_view>("and", "&&"),
                                        {"AND", "&&"},
                                        {"or", "||"},
                                        {"OR", "||"},
                                        {"is", "=="},
                                        {"equals", "=="},
                                        {"eq", "=="},
                                        {"ne", "!="},
                                        {"contains", ".contains(\"text\")"},
                                        {"matches", ".matches(\"pattern\")"}}) {
      if (word == foreign) return ours;
    }
    return {};
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::optional<ExpressionError> error_;
};

}  // namespace wtool::host::expressions
