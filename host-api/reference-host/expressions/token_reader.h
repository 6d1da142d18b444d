// The tokens of an expression one after the other, and the first mistake that is found in them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expressions/lexer.h"

namespace wtool::host::expressions {

class TokenReader {
 public:
  // The last token is `end`.
  explicit TokenReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[at_]; }
  // The token that was current; the `end` stays so.
  const Token& next() { return current().kind == Token::Kind::end ? current() : tokens_[at_++]; }

  bool sees(std::string_view symbol) const { return current().kind == Token::Kind::symbol && current().text == symbol; }
  bool sees_word(std::string_view word) const { return current().kind == Token::Kind::name && current().text == word; }
  // Whether a value follows the current token.
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
  // Only the first one counts: what follows it is guesswork.
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
                           " is not expected here; between two values stands one of == != < <= > >= && || in + - * / "
                           "% ? :");
  }

 private:
  // What a word of other languages is called here; empty where it is not one.
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
