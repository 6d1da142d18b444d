#include "policy/words/reader.h"

#include <algorithm>

namespace wtool::policy {

WordReader::Nest::Nest(WordReader& reader) : reader_(reader) {
  if (++reader_.findings_.depth > max_nesting) reader_.give_up(reader_.at_, "a construct that is nested too deeply");
}

void WordReader::read(bool reads_pipe) {
  reads_pipe_ = reads_pipe;
  list();
  if (!failed() && peek() != '\0') unexpected();
  if (!failed() && !pending_.empty()) note(0, "a here-document without its body");
}

Range WordReader::range(std::size_t begin, std::size_t end) const {
  if (whole_) return *whole_;
  return {offset_ + begin, offset_ + end};
}

// An outer obstacle takes precedence over the obstacles inside it. The inner ones are noted first, because the outer
// one ends later.
void WordReader::note(std::size_t begin, std::string_view what) {
  note_open(begin, what);
  const Range at = range(begin, std::max(at_, std::min(begin + 1, end_)));
  std::optional<Obstacle>& first = findings_.script.lasting;
  if (!first || at.begin < first->at.begin) first = Obstacle{at, std::string(what)};
}

void WordReader::note_open(std::size_t begin, std::string_view what) {
  const Range at = range(begin, std::max(at_, std::min(begin + 1, end_)));
  std::optional<Obstacle>& first = findings_.script.obstacle;
  if (!first || at.begin < first->at.begin) first = Obstacle{at, std::string(what)};
}

void WordReader::fail(std::size_t begin, std::string_view what) {
  if (!failed())
    findings_.script.error = Obstacle{range(begin, std::max(at_, std::min(begin + 1, end_))), std::string(what)};
  at_ = end_;
}

// Ends the reading at a place after which a shell may continue to read, and run commands that were not read here.
void WordReader::give_up(std::size_t begin, std::string_view what) {
  findings_.gave_up = true;
  fail(begin, what);
}

// Called whenever bash would read something that dash would not. Notes it, and returns whether to read it as bash does.
bool WordReader::bash_only(std::size_t begin, std::string_view what) {
  findings_.differs = true;
  note(begin, what);
  return !as_dash();
}

bool WordReader::posix_mode() {
  findings_.posix = true;
  return findings_.dialect.posix;
}

WordReader::Mark WordReader::mark() const {
  return {at_,
          findings_.script.commands.size(),
          static_cast<std::size_t>(findings_.here_documents),
          pending_.size(),
          findings_.script.obstacle,
          findings_.script.lasting};
}

void WordReader::go_back(const Mark& mark) {
  const std::size_t cost = at_ - mark.at;
  if (cost > findings_.rereads) {
    give_up(mark.at, "nested parentheses that could be arithmetic or subshells");
    return;
  }
  findings_.rereads -= cost;
  at_ = mark.at;
  findings_.script.commands.resize(mark.commands);
  findings_.begins.resize(mark.commands);
  findings_.here_documents = static_cast<int>(mark.here_documents);
  pending_.resize(mark.pending);
  findings_.script.obstacle = mark.obstacle;
  findings_.script.lasting = mark.lasting;
}

// A backslash before a newline joins two lines, except within single quotes and comments.
std::size_t WordReader::behind_continuations(std::size_t at) const {
  while (at + 1 < end_ && text_[at] == '\\' && text_[at + 1] == '\n') at += 2;
  return at;
}

// The next character; '\0' at the end, since the text never contains a zero byte.
char WordReader::peek() {
  at_ = behind_continuations(at_);
  return at_ < end_ ? text_[at_] : '\0';
}

char WordReader::peek_second() {
  at_ = behind_continuations(at_);
  const std::size_t second = at_ < end_ ? behind_continuations(at_ + 1) : end_;
  return second < end_ ? text_[second] : '\0';
}

bool WordReader::take(char c) {
  if (peek() != c) return false;
  step();
  return true;
}

// Must be called only where a word may begin, because it also skips a comment.
void WordReader::skip_blanks() {
  while (is_blank(peek())) step();
  if (peek() != '#') return;
  at_ = std::min(text_.find('\n', at_), end_);
}

void WordReader::skip_newlines() {
  for (skip_blanks(); peek() == '\n'; skip_blanks()) newline();
}

void WordReader::newline() {
  step();
  if (!pending_.empty()) read_bodies();
}

}  // namespace wtool::policy
