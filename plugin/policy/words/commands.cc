// Reads lists and pipelines, and finds the kind of a command from its first word.
#include <algorithm>
#include <array>
#include <iterator>

#include "policy/words/reader.h"

namespace wtool::policy {

// Reads commands until a token that cannot begin one: a closing keyword, `)`, `;;`, the end. Returns whether it has
// read a command.
bool WordReader::list() {
  std::size_t previous = none;
  bool any = false;
  while (!failed()) {
    skip_newlines();
    const char c = peek();
    if (c == '\0' || c == ')' || c == ';') break;
    std::size_t behind = 0;
    switch (keyword(behind)) {
      case Keyword::close_brace:
      case Keyword::then:
      case Keyword::elif:
      case Keyword::else_:
      case Keyword::fi:
      case Keyword::do_:
      case Keyword::done:
      case Keyword::esac:
      case Keyword::in:
        return any;
      default:
        break;
    }
    if (previous != none && findings_.script.commands[previous].joint == Joint::end)
      findings_.script.commands[previous].joint = Joint::sequence;
    previous = and_or();
    any = true;
    skip_blanks();
    const std::size_t begin = at_;
    if (peek() == '&') {
      step();
      note(begin, "a command in the background");
      if (previous != none) findings_.script.commands[previous].joint = Joint::background;
    } else if (peek() == ';') {
      if (peek_second() == ';' || peek_second() == '&') break;
      step();
    } else if (peek() != '\n') {
      break;
    }
  }
  return any;
}

// Returns the index of the last simple command; `none` if the list ends with another kind of command.
std::size_t WordReader::and_or() {
  std::size_t last = pipeline();
  while (!failed()) {
    skip_blanks();
    const char c = peek();
    if ((c != '&' && c != '|') || peek_second() != c) break;
    step();
    take(c);
    if (last != none) findings_.script.commands[last].joint = c == '&' ? Joint::and_then : Joint::or_else;
    skip_newlines();
    last = pipeline();
  }
  return last;
}

std::size_t WordReader::pipeline() {
  bool negated = false;
  bool prefixed = false;
  for (;;) {
    skip_blanks();
    const std::size_t begin = at_;
    std::size_t behind = 0;
    const Keyword word = keyword(behind);
    if (word == Keyword::bang) {
      if (prefixed && !bash_only(begin, "a second negation")) break;
      at_ = behind;
      negated = !negated;
    } else if (word == Keyword::time && !findings_.dialect.rebuilt) {
      if (!bash_only(begin, "the keyword time")) break;
      at_ = behind;
      for (skip_blanks(); peek() == '-'; skip_blanks()) {
        const std::size_t option = at_;
        const std::string text = this->word(Place::argument).word.text;
        if (text == "-p" || text == "--") continue;
        at_ = option;
        break;
      }
      const char c = peek();
      if (c == '\0' || c == '\n' || c == ';' || c == '&' || c == ')') return none;
    } else {
      break;
    }
    prefixed = true;
  }
  const bool outer = reads_pipe_;
  std::size_t last = command();
  if (last != none) findings_.script.commands[last].negated = negated;
  while (!failed()) {
    skip_blanks();
    const std::size_t begin = at_;
    if (peek() != '|' || peek_second() == '|') break;
    step();
    if (peek() == '&') {
      if (!bash_only(begin, "the operator |&")) break;
      step();
    }
    if (last != none) findings_.script.commands[last].joint = Joint::pipe;
    reads_pipe_ = true;
    skip_newlines();
    last = command();
  }
  reads_pipe_ = outer;
  return last;
}

// Returns the keyword that is a whole word at the cursor, and sets `behind` to the position after it. The cursor does
// not move.
WordReader::Keyword WordReader::keyword(std::size_t& behind) {
  struct Row {
    std::string_view text;
    Keyword keyword;
  };
  static constexpr Row rows[] = {
      {"!", Keyword::bang},
      {"{", Keyword::open_brace},
      {"}", Keyword::close_brace},
      {"if", Keyword::if_},
      {"then", Keyword::then},
      {"elif", Keyword::elif},
      {"else", Keyword::else_},
      {"fi", Keyword::fi},
      {"while", Keyword::while_},
      {"until", Keyword::until},
      {"do", Keyword::do_},
      {"done", Keyword::done},
      {"for", Keyword::for_},
      {"case", Keyword::case_},
      {"esac", Keyword::esac},
      {"in", Keyword::in},
      {"[[", Keyword::condition},
      {"time", Keyword::time},
      {"function", Keyword::function},
      {"select", Keyword::select},
      {"coproc", Keyword::coproc},
  };
  std::array<char, 9> letters{};
  std::size_t size = 0;
  std::size_t at = behind_continuations(at_);
  for (; at < end_ && !ends_word(text_[at]); at = behind_continuations(at + 1)) {
    const char c = text_[at];
    if (size == letters.size() || !((c >= 'a' && c <= 'z') || c == '!' || c == '{' || c == '}' || c == '['))
      return Keyword::no;
    letters[size++] = c;
  }
  behind = at;
  if (size == 0) return Keyword::no;
  const std::string_view text(letters.data(), size);
  if (text == "!" && at < end_ && text_[at] == '(') {
    // With bash's option extglob, `!(` begins a pattern.
    findings_.extglob = true;
    if (findings_.dialect.extglob) return Keyword::no;
  }
  const auto* row =
      std::find_if(std::begin(rows), std::end(rows), [text](const Row& each) { return each.text == text; });
  return row == std::end(rows) ? Keyword::no : row->keyword;
}

bool WordReader::at_keyword(Keyword wanted) {
  std::size_t behind = 0;
  return keyword(behind) == wanted;
}

bool WordReader::expect(Keyword wanted, std::string_view what) {
  if (failed()) return false;
  skip_newlines();
  std::size_t behind = 0;
  if (keyword(behind) == wanted) {
    at_ = behind;
    return true;
  }
  fail(at_, what);
  return false;
}

void WordReader::unexpected() {
  const std::size_t begin = at_;
  const char c = peek();
  if (c == '\0') {
    fail(begin, "the end of the line where a command must follow");
    return;
  }
  std::string text(1, c);
  step();
  if ((c == '&' || c == '|' || c == ';') && peek() == c) {
    text.push_back(c);
    step();
  } else if (!ends_word(c)) {
    while (at_ < end_ && at_ - begin < 20 && !ends_word(text_[at_])) text.push_back(text_[at_++]);
  }
  fail(begin, c == '\n' ? std::string("a newline where a command must follow") : "an unexpected " + text);
}

// Returns the index of the command if it is simple, `none` otherwise.
std::size_t WordReader::command() {
  skip_blanks();
  const std::size_t begin = at_;
  const std::size_t first_command = findings_.script.commands.size();
  const char c = peek();
  if (failed()) return none;
  if (c == '(') {
    subshell(begin);
    redirections_of_compound(first_command);
    return none;
  }
  std::size_t behind = 0;
  const Keyword word = keyword(behind);
  switch (word) {
    case Keyword::no:
    case Keyword::time:  // not a keyword after a pipe, and never in dash
      if (word == Keyword::time && !findings_.dialect.rebuilt) bash_only(begin, "the keyword time");
      if (!starts_word() && c != '<' && c != '>' && !(c == '&' && peek_second() == '>')) {
        unexpected();
        return none;
      }
      return simple_command();
    case Keyword::condition:
    case Keyword::function:
    case Keyword::select:
    case Keyword::coproc:
      at_ = behind;
      if (bash_only(begin, "a keyword that only some shells know")) break;
      at_ = begin;
      return simple_command();
    case Keyword::open_brace:
    case Keyword::if_:
    case Keyword::while_:
    case Keyword::until:
    case Keyword::for_:
    case Keyword::case_:
      break;
    default:  // a keyword that ends or continues a construct that was not begun
      unexpected();
      return none;
  }
  at_ = behind;
  note(begin, word == Keyword::open_brace ? "a group of commands"
                                          : "the keyword " + std::string(text_.substr(begin, behind - begin)));
  const Nest nest(*this);
  if (failed()) return none;
  switch (word) {
    case Keyword::open_brace:
      if (!list()) unexpected();
      expect(Keyword::close_brace, "a { without its }");
      break;
    case Keyword::if_:
      if_clause();
      break;
    case Keyword::while_:
    case Keyword::until:
      if (!list()) unexpected();
      loop();
      break;
    case Keyword::for_:
    case Keyword::select:
      for_clause(begin);
      break;
    case Keyword::case_:
      case_clause();
      break;
    case Keyword::condition:
      conditional(begin);
      break;
    case Keyword::function:
      function(begin);
      return none;
    default:
      coprocess();
      return none;
  }
  redirections_of_compound(first_command);
  return none;
}

}  // namespace wtool::policy
