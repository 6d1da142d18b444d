// Reads one word: its quotes, and the parts of it that are known only when the line runs.
#include <algorithm>

#include "base/utf8.h"
#include "policy/words/reader.h"

namespace wtool::policy {

namespace {

// True for NAME and for NAME+.
bool is_assigned_name(std::string_view text) {
  if (!text.empty() && text.back() == '+') text.remove_suffix(1);
  return !text.empty() && is_name_start(text.front()) && std::all_of(text.begin(), text.end(), is_word_character);
}

std::string quote_character(char c) { return std::string(1, c); }

}  // namespace

// In bash, `<(` and `>(` begin a word; the two characters must be adjacent.
bool WordReader::at_process_substitution() {
  const char c = peek();
  return (c == '<' || c == '>') && at_ + 1 < end_ && text_[at_ + 1] == '(' && bash_only(at_, "a process substitution");
}

bool WordReader::starts_word() { return !failed() && (!ends_word(peek()) || at_process_substitution()); }

// The cursor must be at the beginning of a word: starts_word().
WordReader::ReadWord WordReader::word(Place place) {
  ReadWord read;
  peek();  // the word begins behind the continued lines that this skips
  WordState state{.place = place, .begin = at_};
  while (!failed()) {
    const char c = peek();
    if (is_plain(c)) {
      plain_part(read, state);
    } else if (!ends_word(c)) {
      special_part(c, read, state);
    } else if (!reads_on(c, read, state)) {
      break;
    }
  }
  judge_braces(read, state);
  judge_brackets(read, state);
  read.word.at = range(state.begin, at_);
  return read;
}

void WordReader::plain_part(ReadWord& read, WordState& state) {
  const std::size_t from = at_;
  while (at_ < end_ && is_plain(text_[at_])) ++at_;
  read.word.text.append(text_, from, at_ - from);
  state.last = text_[at_ - 1];
}

// Called at a character that usually ends a word. Reads what bash takes for a part of the word nevertheless. False:
// the word ends here.
bool WordReader::reads_on(char c, ReadWord& read, WordState& state) {
  const std::size_t from = at_;
  if ((c == '<' || c == '>') && at_process_substitution()) {
    at_ += 2;
    substitution(at_, "a process substitution");
    expands(&read, from, "a process substitution");
    state.last = '\0';
    state.bare = false;
    return true;
  }
  if (c != '(' || state.last == '\0' || std::string_view("?*+@!").find(state.last) == std::string_view::npos) {
    return false;
  }
  findings_.extglob = true;
  note(from, "an extended pattern");
  if (state.place != Place::condition && !findings_.dialect.extglob) return false;
  step();
  pattern_list();
  expands(&read, from, "an extended pattern");
  state.last = '\0';
  return true;
}

// Reads a character that is not plain and does not end the word, and what belongs to it.
void WordReader::special_part(char c, ReadWord& read, WordState& state) {
  const std::size_t from = at_;
  const char before = state.last;
  state.last = '\0';
  switch (c) {
    case '\'':
    case '"':
    case '\\':
    case '$':
    case '`':
      read.quoted = true;
      state.bare = false;
      return quoted_part(c, read);
    case '[':
      return bracket(read, state);
    case '*':
    case '?':
      step();
      state.last = c;
      return opens(&read, from, c == '*' ? star_mark : any_mark, "the glob character " + quote_character(c));
    case '~':
      return tilde(before, read, state);
    case '{':
      step();
      if (state.brace == none) state.brace = read.word.text.size();
      return read.word.text.push_back('{');
    case '=':
      equals(read, state.place, state.bare);
      state.bare = false;
      state.last = '=';
      return;
    case ':':
    case '!':
      step();
      state.last = c;
      return read.word.text.push_back(c);
    default:
      state.bare = false;
      return unusual(read);
  }
}

// Called at a quote, a backslash, a dollar or a backquote, outside quotes.
void WordReader::quoted_part(char c, ReadWord& read) {
  if (c == '$') return dollar(Quotes::absent, &read);
  const std::size_t from = at_;
  step();
  if (c == '\'') return single_quoted(&read.word.text);
  if (c == '"') return double_quoted(&read);
  if (c == '`') return backquotes(Quotes::absent, &read);
  if (at_ < end_) return unusual(read);
  read.word.text.push_back('\\');
  note(from, "a backslash with nothing after it");
}

// Called at an unquoted `[`.
void WordReader::bracket(ReadWord& read, WordState& state) {
  const std::size_t from = at_;
  std::string& text = read.word.text;
  if (state.place == Place::first && state.bare && is_assigned_name(text) && bash_only(from, "an array's element")) {
    subscript();
    if (peek() != '=' && (peek() != '+' || peek_second() != '=')) return expands(&read, from, "the glob character [");
    read.assignment = true;
    read.word.literal = false;
    state.bare = false;
    return;
  }
  step();
  state.brackets.push_back(text.size());
  text.push_back('[');
}

// Called at an unquoted `~`. `before`: the character before it, as in WordState::last.
void WordReader::tilde(char before, ReadWord& read, const WordState& state) {
  const std::size_t from = at_;
  step();
  if (from == state.begin && (at_ == end_ || text_[at_] == '/' || ends_word(text_[at_]))) {
    opens(&read, from, home_mark, "a tilde");
  } else if (read.word.text.empty() || before == ':' || before == '=') {
    expands(&read, from, "a tilde");
  } else {
    read.word.text.push_back('~');
  }
}

// Called at the end of a word. Bash expands braces only if they contain a comma or two dots that are not quoted. This
// test does not look at quotes, and takes all braces of the word for one pair, so it is stricter than necessary, which
// does no harm.
void WordReader::judge_braces(ReadWord& read, const WordState& state) {
  std::string& text = read.word.text;
  const std::size_t last_brace = text.rfind('}');
  if (state.brace == none || last_brace == std::string::npos) return;
  const auto in_braces = [&](const char* part) { return text.find(part, state.brace) < last_brace; };
  if (!in_braces(",") && !in_braces("..")) return;
  findings_.differs = true;
  note(state.begin, "a brace expansion");
  text.resize(state.brace);
  read.word.literal = false;
  read.closed = true;
}

// Called at the end of a word. A bracket begins a pattern only if a closing bracket follows.
void WordReader::judge_brackets(ReadWord& read, WordState& state) {
  std::string& text = read.word.text;
  const std::string whole = text;
  const std::size_t first = state.brackets.empty() ? none : state.brackets.front();
  if (first < text.size() && text.find(']', first) != std::string::npos) {
    // In a set, quoted characters could have another meaning.
    if (read.quoted) read.closed = true;
    note_open(state.begin, "the glob character [");
    if (read.marks.empty() || read.closed) {
      read.open_at = state.begin;
      read.open_what = "the glob character [";
    }
    read.word.literal = false;
    text.resize(first);
  } else {
    state.brackets.clear();
  }
  settle_open(read, state.place, state.brackets, whole);
}

// Called at the end of a word. If the word is an argument whose only unknown parts can be expanded (see Word::open),
// puts its text into `open`, with a mark in place of each of them. Otherwise, notes a lasting obstacle.
void WordReader::settle_open(ReadWord& read, Place place, const std::vector<std::size_t>& brackets,
                             const std::string& text) {
  if (read.marks.empty() && brackets.empty()) return;
  const bool has_mark = std::any_of(text.begin(), text.end(), [](char c) { return c > 0 && c <= status_mark; });
  if (read.closed || place != Place::argument || has_mark || read.assignment) {
    return note(read.open_at, read.open_what);
  }
  std::string& open = read.word.open;
  std::size_t mark = 0, bracket = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    for (; mark < read.marks.size() && read.marks[mark].first == i; ++mark) open.push_back(read.marks[mark].second);
    if (i == text.size()) break;
    const bool is_bracket = bracket < brackets.size() && brackets[bracket] == i;
    open.push_back(is_bracket ? static_cast<char>(bracket_mark) : text[i]);
    if (is_bracket) ++bracket;
  }
}

// Called at an unquoted `=`.
void WordReader::equals(ReadWord& read, Place place, bool bare) {
  const std::size_t from = at_;
  step();
  const bool name = bare && is_assigned_name(read.word.text);
  if (place == Place::first && !read.assignment) {
    if (!name) {
      note(from, "an unquoted = in a program's name");
    } else if (read.word.text.back() != '+' || bash_only(from, "an assignment that appends")) {
      read.assignment = true;
    }
  }
  read.word.text.push_back('=');
  if ((name || read.assignment) && place != Place::condition && peek() == '(' && bash_only(from, "an array")) {
    step();
    array();
    read.array = true;
    read.word.literal = false;
  }
}

// Reads from the `[` after an assignment's name to its `]`. Without a `]`, the `[` is an ordinary bracket.
void WordReader::subscript() {
  const Mark back = mark();
  step();
  if (arithmetic('[', ']', 1) || failed()) return;
  go_back(back);
  note(at_, "the glob character [");
  if (!failed()) step();
}

// Reads the text after `NAME=(`, up to its `)`.
void WordReader::array() {
  const std::size_t begin = at_;
  const Nest nest(*this);
  while (!failed()) {
    skip_blanks();
    if (peek() == '\n') {
      if (!pending_.empty()) return give_up(begin, "a here-document before an array that spans several lines");
      step();
    } else if (take(')')) {
      return;
    } else if (starts_word()) {
      word(Place::element);
    } else {
      return fail(begin, "an array without its )");
    }
  }
}

// Reads the text after an extended pattern's `(`, up to its `)`.
void WordReader::pattern_list() {
  const std::size_t begin = at_;
  const Nest nest(*this);
  int open = 1;
  while (!failed()) {
    const char c = peek();
    if (c == '\0') return fail(begin, "an extended pattern without its )");
    if (!ends_word(c) || at_process_substitution()) {
      word(Place::element);
      continue;
    }
    step();
    if (c == '(') ++open;
    if (c == ')' && --open == 0) return;
  }
}

// Reads a character that is not plain, or that was escaped. It becomes a part of the word. A hidden character, and a
// byte that is not UTF-8, is also an obstacle.
void WordReader::unusual(ReadWord& read) {
  const std::size_t begin = at_;
  const Character character = first_character(text_.substr(at_, end_ - at_));
  const std::size_t length = character.valid ? character.length : 1;
  read.word.text.append(text_, at_, length);
  at_ += length;
  if (!character.valid) {
    note(begin, "a byte outside quotes that is not UTF-8");
  } else if (is_hidden(character.code_point)) {
    note(begin, "the character " + name_of(character.code_point) + " outside quotes");
  }
}

// Reads the text after the opening quote.
void WordReader::single_quoted(std::string* text) {
  const std::size_t end = text_.find('\'', at_);
  if (end == std::string_view::npos || end >= end_) return fail(at_ - 1, "a single quote that is never closed");
  if (text != nullptr) text->append(text_, at_, end - at_);
  at_ = end + 1;
}

// Reads the text after the opening quote.
void WordReader::double_quoted(ReadWord* read) {
  const std::size_t begin = at_;
  const auto append = [&](std::size_t from, std::size_t size) {
    if (read != nullptr) read->word.text.append(text_, from, size);
  };
  while (!failed()) {
    const std::size_t from = at_;
    at_ = std::min(text_.find_first_of("\"\\$`", at_), end_);
    append(from, at_ - from);
    if (at_ >= end_) return fail(begin - 1, "a double quote that is never closed");
    const char c = text_[at_];
    if (c == '$') {
      dollar(Quotes::doubled, read);
      continue;
    }
    step();
    if (c == '"') return;
    if (c == '`') {
      backquotes(Quotes::doubled, read);
      continue;
    }
    const char next = at_ < end_ ? text_[at_] : '\0';
    if (next == '\n') {
      step();
    } else if (next == '$' || next == '`' || next == '"' || next == '\\') {
      append(at_, 1);
      step();
    } else {
      append(at_ - 1, 1);
    }
  }
}

// Reads the text after bash's `$'`.
void WordReader::ansi_quoted(ReadWord* read) {
  const std::size_t begin = at_;
  std::string text;
  bool cut = false;  // after a zero byte, the rest is dropped
  const auto number = [&](unsigned base, std::size_t most) {
    std::uint32_t value = 0;
    std::size_t count = 0;
    for (; count < most && at_ < end_; ++count, ++at_) {
      const char c = text_[at_];
      const unsigned digit = is_digit(c)              ? static_cast<unsigned>(c - '0')
                             : (c >= 'a' && c <= 'f') ? static_cast<unsigned>(c - 'a' + 10)
                             : (c >= 'A' && c <= 'F') ? static_cast<unsigned>(c - 'A' + 10)
                                                      : 99U;
      if (digit >= base) break;
      value = value * base + digit;
    }
    return std::pair(value, count);
  };
  const auto put = [&](std::uint32_t byte) {
    if ((byte & 0xFFU) == 0) cut = true;
    if (!cut) text.push_back(static_cast<char>(byte & 0xFFU));
  };
  for (;;) {
    if (at_ >= end_) return fail(begin - 2, "a single quote that is never closed");
    const char c = text_[at_++];
    if (c == '\'') break;
    if (c != '\\' || at_ >= end_) {
      put(static_cast<unsigned char>(c));
      continue;
    }
    const char escape = text_[at_++];
    constexpr std::string_view names = "abeEfnrtv\\'\"?";
    constexpr std::string_view values = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
    const std::size_t known = names.find(escape);
    if (known != std::string_view::npos) {
      put(static_cast<unsigned char>(values[known]));
    } else if (escape >= '0' && escape <= '7') {
      --at_;
      put(number(8, 3).first);
    } else if (escape == 'c' && at_ < end_) {
      put(static_cast<unsigned char>(text_[at_++]) & 0x1FU);
    } else if (escape == 'x' || escape == 'u' || escape == 'U') {
      const auto [value, count] = number(16, escape == 'x' ? 2 : escape == 'u' ? 4 : 8);
      if (count == 0) {
        put('\\');
        put(static_cast<unsigned char>(escape));
      } else if (escape == 'x' || value < 0x80) {
        put(value);
      } else {
        if (!cut) append_utf8(text, value);
        if (read != nullptr) read->word.literal = false;  // the result depends on the locale
      }
    } else {
      put('\\');
      put(static_cast<unsigned char>(escape));
    }
  }
  if (read != nullptr) read->word.text += text;
}

}  // namespace wtool::policy
