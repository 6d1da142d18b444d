// Reads expansions, which begin with a dollar or a backquote. Their results are known only when the line runs, but the
// commands in them are read.
#include <algorithm>

#include "policy/words/reader.h"

namespace wtool::policy {

void WordReader::expands(ReadWord* read, std::size_t begin, std::string_view what) {
  note(begin, what);
  if (read == nullptr) return;
  read->word.literal = false;
  read->closed = true;
}

// Marks a part of a word whose value is known, or can be found out, before the line runs.
void WordReader::opens(ReadWord* read, std::size_t begin, OpenMark mark, const std::string& what) {
  if (read == nullptr) return expands(read, begin, what);
  note_open(begin, what);
  read->word.literal = false;
  if (read->marks.empty()) {
    read->open_at = begin;
    read->open_what = what;
  }
  read->marks.emplace_back(read->word.text.size(), mark);
}

// Called at a `$`. `read` is null if the text is not needed.
void WordReader::dollar(Quotes quotes, ReadWord* read) {
  const std::size_t begin = at_;
  step();
  const char c = peek();
  if (c == '(') {
    if (peek_second() == '(') {
      parenthesised(begin);
      return expands(read, begin, "an arithmetic expansion");
    }
    step();
    substitution(at_ - 1, "a command substitution");
    return expands(read, begin, "a command substitution");
  }
  if (c == '{') {
    step();
    parameter(quotes);
    return expands(read, begin, "a parameter expansion");
  }
  if (is_name_start(c)) {
    std::string name;
    for (; is_word_character(peek()); step()) name.push_back(peek());
    if (name == "HOME") return opens(read, begin, home_mark, "a parameter expansion");
    if (name == "PWD") return opens(read, begin, directory_mark, "a parameter expansion");
    return expands(read, begin, "a parameter expansion");
  }
  if (is_digit(c) || (c != '\0' && std::string_view("*@#?-$!").find(c) != std::string_view::npos)) {
    step();
    if (c == '?') return opens(read, begin, status_mark, "a parameter expansion");
    return expands(read, begin, "a parameter expansion");
  }
  if (c == '[' && bash_only(begin, "an arithmetic expansion")) {
    const Mark back = mark();
    step();
    if (arithmetic('[', ']', 1)) return expands(read, begin, "an arithmetic expansion");
    if (!failed()) go_back(back);
    if (!failed()) fail(begin, "a $[ without its ]");
    return;
  }
  if (quotes == Quotes::absent && c == '\'' && bash_only(begin, "a string in $'...'")) {
    step();
    return ansi_quoted(read);
  }
  if (quotes == Quotes::absent && c == '"' && bash_only(begin, "a string in $\"...\"")) {
    step();
    return double_quoted(read);
  }
  if (read != nullptr) read->word.text.push_back('$');
}

// Reads the text after the opening backquote. The text inside is unescaped and then read as a separate text.
void WordReader::backquotes(Quotes quotes, ReadWord* read) {
  const std::size_t begin = at_;
  const Nest nest(*this);
  if (failed()) return;
  std::string inside;
  bool changed = false;
  for (;;) {
    const std::size_t from = at_;
    at_ = std::min(text_.find_first_of("`\\", at_), end_);
    inside.append(text_, from, at_ - from);
    if (at_ >= end_) return fail(begin - 1, "a backquote that is never closed");
    if (text_[at_++] == '`') break;
    const char next = at_ < end_ ? text_[at_] : '\0';
    if (next == '\0' || !(next == '$' || next == '`' || next == '\\' || (next == '"' && quotes == Quotes::doubled))) {
      inside.push_back('\\');
      if (next != '\0') inside.push_back(text_[at_++]);
      continue;
    }
    changed = true;
    inside.push_back(next);
    ++at_;
  }
  const Range all = range(begin - 1, at_);
  WordReader reader(inside, findings_, all.begin + 1, whole_ || changed ? std::optional(all) : std::nullopt);
  reader.read(reads_pipe_);
  if (failed()) at_ = end_;
  expands(read, begin - 1, "a command substitution");
}

// Reads the text after `$(` or `<(`, up to its `)`. `begin` and `what` are for the message if the `)` is missing.
void WordReader::substitution(std::size_t begin, const std::string& what) {
  const Nest nest(*this);
  if (failed()) return;
  std::vector<HereDocument> outer = std::move(pending_);
  pending_.clear();
  list();
  if (!failed() && !take(')')) fail(begin, what + " without its )");
  if (!failed() && !pending_.empty())
    give_up(begin, "a here-document that begins after the substitution that it belongs to");
  pending_ = std::move(outer);
}

// Reads arithmetic, from the first of two parentheses after a `$`. If the end shows that this is not arithmetic, bash
// reads it as a command substitution that begins with a subshell.
void WordReader::parenthesised(std::size_t begin) {
  const Mark back = mark();
  take('(');
  take('(');
  if (arithmetic('(', ')', 2) || failed()) return;
  if (!bash_only(begin, "an arithmetic expansion without its end")) return fail(begin, "a $(( without its ))");
  go_back(back);
  if (failed()) return;
  take('(');
  substitution(at_ - 1, "a command substitution");
}

// Reads arithmetic after its opening characters, up to its end, which is the character `close` repeated `closing`
// times. False: the parentheses do not match, and the cursor may be anywhere.
bool WordReader::arithmetic(char open, char close, int closing) {
  const Nest nest(*this);
  int inner = 0;
  while (!failed()) {
    const char c = peek();
    const std::size_t begin = at_;
    if (c == '\0') return false;
    if (c == open) {
      step();
      if (++inner > max_nesting) give_up(begin, "a construct that is nested too deeply");
    } else if (c == close && inner > 0) {
      step();
      --inner;
    } else if (c == close) {
      if (closing == 1 || peek_second() == close) {
        for (int i = 0; i < closing; ++i) take(close);
        return true;
      }
      if (!as_dash()) return false;
      step();
    } else if (c == '\\') {
      at_ = std::min(at_ + 2, end_);
    } else if (c == '$') {
      dollar(Quotes::doubled, nullptr);
    } else if (c == '`') {
      step();
      backquotes(Quotes::doubled, nullptr);
    } else if (c == '\'' && bash_only(begin, "a quote in an arithmetic expression")) {
      quoted_in_expansion();
    } else if (c == '"' && bash_only(begin, "a quote in an arithmetic expression")) {
      step();
      double_quoted(nullptr);
    } else {
      step();
    }
  }
  return false;
}

// Called at a single quote that works as a quote when the shell looks for the end of the text, but as an ordinary
// character when the shell expands the text.
void WordReader::quoted_in_expansion() {
  const std::size_t begin = at_;
  step();
  const std::size_t end = text_.find('\'', at_);
  if (end == std::string_view::npos || end >= end_) return fail(begin, "a single quote that is never closed");
  expansions_until(end);
  if (!failed()) at_ = end + 1;
}

// Reads text that is expanded as in double quotes, but in which a double quote is an ordinary character.
void WordReader::expansions_until(std::size_t end) {
  const std::size_t outer_end = end_;
  end_ = end;
  while (!failed() && at_ < end_) {
    at_ = std::min(text_.find_first_of("\\$`", at_), end_);
    if (at_ >= end_) break;
    if (text_[at_] == '$') {
      dollar(Quotes::doubled, nullptr);
    } else if (text_[at_] == '`') {
      step();
      backquotes(Quotes::doubled, nullptr);
    } else {
      at_ = std::min(at_ + 2, end_);
    }
  }
  end_ = outer_end;
  if (failed()) at_ = end_;
}

// Reads the text after `${`, up to its `}`.
void WordReader::parameter(Quotes quotes) {
  const std::size_t begin = at_;
  const Nest nest(*this);
  const char first = peek();
  // If one of these characters comes first, some shells run the text as commands.
  if (is_blank(first) || first == '\n' || first == '|' || first == '(')
    return give_up(begin, "a ${ with commands in it, which shells read differently");
  // The first operator decides whether single quotes quote anything within double quotes.
  char op = '\0';
  while (!failed()) {
    const char c = peek();
    const std::size_t from = at_;
    if (c == '\0') return fail(begin, "a ${ without its }");
    if (op == '\0' && from > begin && std::string_view("#%^,~:-=?+/").find(c) != std::string_view::npos) op = c;
    if (c == '\\') {
      at_ = std::min(at_ + 2, end_);
    } else if (c == '$') {
      dollar(quotes, nullptr);
    } else if (c == '`') {
      step();
      backquotes(quotes, nullptr);
    } else if (c == '"') {
      step();
      double_quoted(nullptr);
    } else if (c == '\'' && (quotes == Quotes::absent || op == '#' || op == '%' ||
                             ((op == '/' || op == '^' || op == ',') && bash_only(from, "a quote in an expansion")))) {
      step();
      single_quoted(nullptr);
    } else if (c == '\'' && bash_only(from, "a quote in an expansion") && !posix_mode()) {
      quoted_in_expansion();
    } else if (quotes == Quotes::absent && at_process_substitution()) {
      at_ += 2;
      substitution(at_, "a process substitution");
    } else {
      step();
      if (c == '}') return;
    }
  }
}

}  // namespace wtool::policy
