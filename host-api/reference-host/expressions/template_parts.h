// Parses the inside of one placeholder or tag. template_parser.cc finds where they begin.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "expressions/lexer.h"
#include "expressions/template.h"

namespace wtool::host::expressions {

inline constexpr std::string_view template_blanks = " \t\r\n";

// A position in a text, and the functions that read from there.
class TemplateCursor {
 public:
  TemplateCursor(std::string_view text, std::size_t at) : text_(text), begin_(at), at_(at) {}
  std::string_view text() const { return text_; }
  std::string_view rest() const { return text_.substr(at_); }
  std::size_t begin() const { return begin_; }
  std::size_t at() const { return at_; }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(template_blanks, at_), text_.size()); }
  bool starts(std::string_view what) const { return rest().starts_with(what); }
  bool take(std::string_view what) {
    if (!starts(what)) return false;
    at_ += what.size();
    return true;
  }
  bool at_name() const { return at_ < text_.size() && is_name_start(text_[at_]); }
  // Takes a name. Empty: no name comes next.
  std::string_view name() {
    const std::size_t begin = at_;
    if (at_name()) {
      while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  // The same for a name that may have dashes, each followed by a character of a name: states and fields may have such
  // names.
  std::string_view dashed_name() {
    const std::size_t begin = at_;
    while (at_name() || at_ > begin) {
      while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
      if (at_ == begin || at_ + 1 >= text_.size() || text_[at_] != '-' || !is_name_character(text_[at_ + 1])) break;
      ++at_;
    }
    return text_.substr(begin, at_ - begin);
  }
  // Takes a whole number of at most nine digits. Nothing: no digit comes next.
  std::optional<std::size_t> number() {
    std::size_t value = 0;
    const std::size_t begin = at_;
    for (; at_ < text_.size() && is_digit(text_[at_]) && at_ - begin < 9; ++at_) {
      value = value * 10 + static_cast<std::size_t>(text_[at_] - '0');
    }
    return at_ == begin ? std::nullopt : std::optional(value);
  }
  bool at_quote() const { return at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''); }
  // Takes a quoted text. Nothing: its closing quote is missing. As in the texts of actions, \n is a newline, \t is a
  // tab, and a backslash makes a quote or a second backslash literal. Any other backslash is kept.
  std::optional<std::string> quoted() {
    const char quote = text_[at_++];
    std::string value;
    for (; at_ < text_.size() && text_[at_] != quote; ++at_) {
      char c = text_[at_];
      const char next = c == '\\' && at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
      if (next == quote || next == '\\' || next == 'n' || next == 't') {
        c = next == 'n' ? '\n' : next == 't' ? '\t' : next;
        ++at_;
      }
      value += c;
    }
    if (at_ == text_.size()) return std::nullopt;
    ++at_;
    return value;
  }

 private:
  std::string_view text_;
  std::size_t begin_;
  std::size_t at_;
};

// ---- Parses the inside of a placeholder: `${ path }`, `{{ path or "text" | filters }}`, and the filters of a
// loop.

// `name { . name | [ index ] | [ "key" ] }`. False: no name comes first, or something else follows a dot or a bracket.
bool parse_path(TemplateCursor& cursor, Placeholder& placeholder, Dialect dialect = Dialect::workflow);

// Reads a quoted text, a number, true, false, nil or a path, in a tag of a prompt. False for anything else.
bool parse_operand(TemplateCursor& cursor, Operand& operand);

// `{ "|" name [ ":" argument { "," argument } ] }`, and the blanks after it. Returns a sentence if a filter is
// malformed.
std::optional<std::string> parse_filters(TemplateCursor& cursor, std::vector<Filter>& filters, Dialect dialect);

// The inside of `${...}`, with the closing brace. False: it belongs to the shell.
bool parse_dollar(TemplateCursor& cursor, Placeholder& placeholder);

// The inside of `{{ }}`, from after the opening braces up to the closing ones. Returns a sentence if it is malformed.
std::optional<std::string> parse_braces(TemplateCursor& cursor, Placeholder& placeholder, Dialect dialect);

// ---- Parses the rest of a tag after its word, up to the end of the tag. Each function returns the mistake, if any.

using TagMistake = std::optional<ExpressionError>;

// if, elsif, unless: an expression.
TagMistake parse_test(TemplateCursor& cursor, TemplateBranch& branch);
// for: `x in EXPRESSION { "|" filter }`; in a prompt also `x in (1..n)`, and `limit: n`, `offset: n`, `reversed`. The
// caller has set `loop.offset`.
TagMistake parse_loop(TemplateCursor& cursor, Dialect dialect, Loop& loop);

// The following tags occur only in prompts. `tag` is the offset of the tag.
TagMistake parse_assign(TemplateCursor& cursor, std::size_t tag, Assign& assign);
TagMistake parse_capture(TemplateCursor& cursor, CaptureTag& capture);
TagMistake parse_case(TemplateCursor& cursor, std::size_t tag, Case& made);
TagMistake parse_when(TemplateCursor& cursor, std::size_t tag, When& when);
TagMistake parse_cycle(TemplateCursor& cursor, Cycle& cycle);
TagMistake parse_inclusion(TemplateCursor& cursor, const std::string& word, Inclusion& inclusion);

}  // namespace wtool::host::expressions
