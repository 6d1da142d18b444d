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
    fail(token.offset, quoted_for_message(token.text) +
                           " is not expected here; between two values stands one of == != < <= > >= && || in + - * / "
                           "% ? :");
  }

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::optional<ExpressionError> error_;
};

}  // namespace wtool::host::expressions
