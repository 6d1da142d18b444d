#include "policy/operators.h"

#include <algorithm>

#include "policy/words.h"
#include "policy/words/characters.h"

namespace wtool::policy {

namespace {

// Scans a text up to the first operator, with the shell's rules for quotes and comments.
class Scan {
 public:
  explicit Scan(std::string_view text) : text_(text) {}

  std::optional<Construct> first() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'') {
        at_ = std::min(text_.find('\'', at_ + 1), text_.size() - 1) + 1;
        in_word_ = true;
      } else if (c == '"') {
        if (auto found = double_quoted()) return found;
        in_word_ = true;
      } else if (c == '\\') {
        // An escaped newline is removed; it does not begin a word.
        in_word_ = in_word_ || behind(1) != '\n';
        at_ += 2;
      } else if (c == '#' && !in_word_) {
        if (!comment_) comment_ = Construct{"a comment: a shell would ignore # and what follows it", {at_, at_ + 1}};
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (auto found = operator_here()) {
        return found;
      } else {
        in_word_ = !ends_word(c);
        ++at_;
      }
    }
    return std::nullopt;
  }

  // The first comment before the operator that first() has found. Without an operator, the first comment in the text.
  const std::optional<Construct>& comment() const { return comment_; }

 private:
  char behind(std::size_t distance) const { return at_ + distance < text_.size() ? text_[at_ + distance] : '\0'; }

  Construct found(std::size_t size, std::string what) const { return {std::move(what), {at_, at_ + size}}; }

  std::optional<Construct> double_quoted() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (auto found = expansion()) {
        return found;
      }
    }
    ++at_;
    return std::nullopt;
  }

  // `$` and backquotes, which mean the same inside and outside of double quotes.
  std::optional<Construct> expansion() const {
    if (text_[at_] == '`') return found(1, "a command substitution (a backquote)");
    if (text_[at_] != '$') return std::nullopt;
    const char next = behind(1);
    if (next == '(') {
      return behind(2) == '(' ? found(3, "an arithmetic expansion $((...))")
                              : found(2, "a command substitution $(...)");
    }
    if (next == '{') return found(2, "a variable ${...}");
    if (is_name_start(next)) {
      std::size_t size = 2;
      while (is_word_character(behind(size))) ++size;
      return found(size, "the variable " + std::string(text_.substr(at_, size)));
    }
    if (is_digit(next) || std::string_view("@*#?-$!").find(next) < 7) {
      return found(2, "the variable " + std::string(text_.substr(at_, 2)));
    }
    return std::nullopt;
  }

  std::optional<Construct> operator_here() const {
    switch (text_[at_]) {
      case '\n':
        return newline();
      case ';':
        return joining(behind(1) == ';' ? 2 : 1);
      case '|':
        return joining(behind(1) == '|' || behind(1) == '&' ? 2 : 1);
      case '&':
        if (behind(1) == '>') return redirection(0);
        return joining(behind(1) == '&' ? 2 : 1);
      case '(':
      case ')':
        return found(1, "a parenthesis " + std::string(1, text_[at_]));
      case '<':
      case '>':
        return redirection(0);
      case '$':
      case '`':
        return expansion();
      default:
        break;
    }
    // A number directly before a redirection is part of the redirection.
    std::size_t digits = 0;
    while (!in_word_ && is_digit(behind(digits))) ++digits;
    if (digits > 0 && (behind(digits) == '<' || behind(digits) == '>')) return redirection(digits);
    return std::nullopt;
  }

  Construct joining(std::size_t size) const {
    return found(size, "the operator " + std::string(text_.substr(at_, size)));
  }

  Construct redirection(std::size_t digits) const {
    std::size_t size = digits;
    while (std::string_view("<>").find(behind(size)) < 2 || (behind(size) == '&' && size < digits + 2)) ++size;
    if (behind(size) == '|') ++size;
    return found(size, "the redirection " + std::string(text_.substr(at_, size)));
  }

  // A newline at either end of the text separates nothing.
  std::optional<Construct> newline() const {
    if (at_ < begin_ || at_ > last_) return std::nullopt;
    return found(1, "a newline");
  }

  static constexpr std::string_view blank_ = " \t\n";

  std::string_view text_;
  // The positions of the first and the last character that is not blank. If all are blank, every position is before the
  // first.
  std::size_t begin_ = text_.find_first_not_of(blank_);
  std::size_t last_ = text_.find_last_not_of(blank_);
  std::size_t at_ = 0;
  bool in_word_ = false;
  std::optional<Construct> comment_;
};

}  // namespace

std::optional<Construct> find_operator(std::string_view text) { return Scan(text).first(); }

std::variant<std::vector<std::string>, Construct> only_words(std::string_view text) {
  Scan scan(text);
  auto first = scan.first();
  Script script = parse(text);
  if (scan.comment() && !(script.commands.empty() && !first)) return *scan.comment();
  // For a here-document without a body, the parser reports the whole text instead of the position of the operator.
  const bool here_document = first && text.substr(first->at.begin).starts_with("<<");
  if (script.obstacle && (!first || (script.obstacle->at.begin < first->at.begin && !here_document))) {
    return Construct{script.obstacle->what, script.obstacle->at};
  }
  if (first) return std::move(*first);
  if (script.commands.empty()) return std::vector<std::string>();
  // The parser may find several commands, or a redirection, even though the scan found no operator to name.
  const SimpleCommand& command = script.commands.front();
  if (script.commands.size() > 1 || !command.redirections.empty() || command.words.empty()) {
    return Construct{"more than one command", {0, text.size()}};
  }
  const Range& program = command.words.front().at;
  if (command.negated) return Construct{"the negation !", {0, program.begin}};
  return texts_of(command.words);
}

}  // namespace wtool::policy
