#include "workflow/quoting/quoting_context.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "workflow/quoting/quoting_marks.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t max_here_document_depth = 8;

bool is_separator(char c) { return std::string_view(" \t\n;&|()<>").find(c) != std::string_view::npos; }

class PlaceFinder {
 public:
  explicit PlaceFinder(const std::vector<std::string>& texts) : marks_(texts), text_(marks_.text()) {}

  std::vector<Place> run() {
    scan(text_.size(), Frame::Kind::command);
    return marks_.take_places();
  }

 private:
  struct PendingHere {
    HereDelimiter delimiter;
    bool quoted = false;
  };

  // What was read of a simple command.
  struct SimpleCommand {
    std::string name;        // empty: not read yet; "?": not known before the run
    std::string previous;    // the word before, if it is plain
    std::string flags;       // the letters of all words that begin with '-'
    bool in_test = false;    // inside [[ ]]
    bool redirects = false;  // the next word belongs to a redirection
  };

  struct Frame {
    enum class Kind { command, substitution, double_quoted, parameter, arithmetic, here_document };
    explicit Frame(Kind frame_kind) : kind(frame_kind) {}
    Kind kind;
    std::size_t depth = 0;         // open parentheses inside
    bool seen_case = false;        // in a substitution: the word `case` was read
    std::string word;              // the plain characters of the bare word that is being read
    bool word_start = true;        // a '#' here begins a comment
    bool word_plain = true;        // nothing quoted or inserted in the word so far
    bool escaped_newline = false;  // in a here-document: a backslash was before a newline
    std::vector<PendingHere> pending;
    SimpleCommand command{};  // the one that is being read
  };

  bool mark_here() const { return marks_.is_at(at_); }
  void assign(Place::Kind kind, std::string why = "") { marks_.assign(kind, std::move(why), here_documents_); }
  void refuse_up_to(std::size_t end, const std::string& why) { marks_.refuse_up_to(end, why, here_documents_); }
  void lose(const std::string& what) { marks_.lose(what); }

  // --- the text ---

  char look(std::size_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }
  bool sees(std::string_view what) const {
    return at_ + what.size() <= end_ && std::string_view(text_).substr(at_, what.size()) == what &&
           !marks_.is_between(at_, at_ + what.size());
  }
  // Reads from at_ to `end`; afterwards at_ is `end`.
  void scan(std::size_t end, Frame::Kind base) {
    const std::size_t outer_end = end_;
    std::vector<Frame> outer_frames = std::exchange(frames_, {});
    end_ = end;
    frames_.emplace_back(base);
    ++nesting_;
    if (nesting_ > max_here_document_depth) {
      lose("here-documents nested this deeply");
      at_ = end_;
    }
    while (true) {
      while (mark_here() && at_ <= end_ && !(at_ == end_ && nesting_ > 1)) placeholder();
      if (at_ >= end_) break;
      if (frames_.size() > deepest) {
        lose("quotes and substitutions nested this deeply");
        at_ = end_;
        break;
      }
      step();
    }
    if (frames_.size() > 1 && nesting_ > 1) lose("a here-document that ends inside a quote or substitution");
    --nesting_;
    frames_ = std::move(outer_frames);
    end_ = outer_end;
  }

  Frame& top() { return frames_.back(); }

  void placeholder() {
    Frame& frame = top();
    const char before = at_ > 0 ? text_[at_ - 1] : '\0';
    const bool fresh = marks_.was_just_at(at_);  // directly after another placeholder
    if (escaped_) {
      assign(Place::Kind::refused,
             "a backslash is directly before it; a ${NAME} of the shell is written $${NAME} or $NAME");
      escaped_ = false;
      return;
    }
    if (before == '$' && !fresh && !after_dollar_pair_) {
      return assign(Place::Kind::refused, "a '$' is directly before it");
    }
    const bool after_variable = !fresh && variable_end_ == at_;
    if (const SimpleCommand* command = command_here()) {
      if (is_evaluated(*command)) return assign(Place::Kind::refused, evaluated(*command));
      if (is_number_operand(*command)) {
        frame.word_plain = false;
        frame.word_start = false;
        return assign(Place::Kind::number);
      }
    }
    switch (frame.kind) {
      case Frame::Kind::command:
      case Frame::Kind::substitution:
        bare(frame);
        break;
      case Frame::Kind::double_quoted:
        marks_.next_place().after_variable = after_variable;
        assign(Place::Kind::double_quoted);
        break;
      case Frame::Kind::parameter:
        assign(Place::Kind::refused, std::string("it is inside ${...} of the shell") + use_variable);
        break;
      case Frame::Kind::arithmetic:
        assign(Place::Kind::arithmetic);
        break;
      case Frame::Kind::here_document:
        if (after_variable) {
          assign(Place::Kind::refused, "it directly follows a shell variable; write that variable as $${NAME}");
        } else {
          assign(frame.escaped_newline ? Place::Kind::refused : Place::Kind::here_document,
                 frame.escaped_newline
                     ? std::string("the here-document has a line that ends with a backslash") + use_variable
                     : "");
        }
        break;
    }
  }

  // The simple command of which a word is here, in double quotes or not. nullptr: none is.
  const SimpleCommand* command_here() const {
    for (std::size_t i = frames_.size(); i-- > 0 && i + 2 >= frames_.size();) {
      const Frame& frame = frames_[i];
      if (frame.kind == Frame::Kind::command || frame.kind == Frame::Kind::substitution) return &frame.command;
      if (frame.kind != Frame::Kind::double_quoted) return nullptr;
    }
    return nullptr;
  }

  // The plain characters of the word before the placeholder.
  const std::string& word_here() const {
    const Frame& frame = frames_.back();
    return frame.kind == Frame::Kind::double_quoted ? frames_[frames_.size() - 2].word : frame.word;
  }

  // Whether bash evaluates the word here as code, as the name of a variable, or as arithmetic, however it is quoted. As
  // a part of `a[$(COMMAND)]`, a name or a number runs a command.
  bool is_evaluated(const SimpleCommand& command) const {
    const std::string& name = command.name;
    if (command.redirects) return false;
    if (is_one_of(name, {"let", "trap", "read", "unset", "getopts", "mapfile", "readarray"})) return true;
    if (is_one_of(name, {"declare", "typeset", "local", "readonly", "export"})) {
      return word_here().find('=') == std::string::npos || command.flags.find_first_of("in") != std::string::npos;
    }
    return command.previous == "-v" && (command.in_test || is_one_of(name, {"printf", "test", "["}));
  }
  static std::string evaluated(const SimpleCommand& command) {
    return "bash evaluates this argument of " + (command.in_test ? std::string("[[") : command.name) +
           " as code or as a name, so no value is safe here";
  }

  // Whether the word here is compared as a number in [[ ]], where bash evaluates it.
  bool is_number_operand(const SimpleCommand& command) const {
    if (!command.in_test) return false;
    constexpr std::string_view operators[] = {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
    const auto is_operator = [&](std::string_view word) {
      return std::find(std::begin(operators), std::end(operators), word) != std::end(operators);
    };
    if (is_operator(command.previous)) return true;
    std::size_t next = at_;
    while (next < text_.size() && !is_separator(text_[next])) ++next;
    while (next < text_.size() && (text_[next] == ' ' || text_[next] == '\t')) ++next;
    return is_operator(std::string_view(text_).substr(next, 3)) &&
           (next + 3 >= text_.size() || is_separator(text_[next + 3]));
  }

  void bare(Frame& frame) {
    const std::size_t bracket = frame.word.find('[');
    const bool subscript =
        frame.word_plain && bracket != std::string::npos && bracket > 0 && is_word_character(frame.word[0]);
    if (subscript) {
      assign(Place::Kind::refused,
             std::string("it is in the index of an array, which some shells evaluate") + use_variable);
    } else {
      assign(Place::Kind::bare);
    }
    frame.word_plain = false;
    frame.word_start = false;
  }

  void step() {
    after_dollar_pair_ = false;
    switch (top().kind) {
      case Frame::Kind::command:
      case Frame::Kind::substitution:
        return command_step();
      case Frame::Kind::arithmetic:
        return arithmetic_step();
      case Frame::Kind::double_quoted:
        return quoted_step('"');
      case Frame::Kind::parameter:
        return quoted_step('}');
      case Frame::Kind::here_document:
        return quoted_step('\0');
    }
  }

  // Reads a backslash and the character after it. A placeholder between the two is refused.
  void backslash() {
    ++at_;
    if (mark_here() || at_ >= end_) {
      escaped_ = mark_here();
      return;
    }
    if (text_[at_] == '\n') newline_inside();
    ++at_;
  }

  // A newline that does not end a command. In some shells, the text of a pending here-document would begin there.
  void newline_inside() {
    for (const Frame& frame : frames_) {
      if (!frame.pending.empty())
        lose("a here-document that begins on a line with an unfinished quote or substitution");
    }
  }

  void command_step() {
    Frame& frame = top();
    const char c = look();
    if (is_separator(c)) return separator(c);
    const bool word_start = std::exchange(frame.word_start, false);
    if (c == '#' && word_start) return comment();
    if (c == '\'') {
      frame.word_plain = false;
      return single_quoted();
    }
    if (c == '"') {
      frame.word_plain = false;
      ++at_;
      frames_.emplace_back(Frame::Kind::double_quoted);
      return;
    }
    if (c == '\\') {
      frame.word_plain = false;
      return backslash();
    }
    if (c == '`') {
      frame.word_plain = false;
      return backticks();
    }
    if (c == '$') {
      frame.word_plain = false;
      if (sees("$'")) lose("$'...', which only some shells know,");
      if (sees("$[")) lose("$[...], which only some shells know,");
      return dollar();
    }
    if (frame.word.size() < 256) frame.word += c;
    ++at_;
  }

  // A word of a command has ended, or nothing was read since the last one.
  void take_word(const Frame& frame, SimpleCommand& command) {
    if (frame.word_start) return;
    const std::string word = frame.word_plain ? frame.word : "";
    if (word == "[[") command.in_test = true;
    if (word == "]]") command.in_test = false;
    if (word.starts_with('-')) command.flags += word.substr(1);
    const bool is_before_name =
        is_one_of(word,
                  {"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "command", "builtin"}) ||
        (!word.empty() && is_variable_name(word.substr(0, word.find('='))) && word.find('=') != std::string::npos);
    if (command.name.empty() && !is_before_name) command.name = frame.word_plain ? word : "?";
    command.previous = word;
    command.redirects = false;
  }

  void end_word() {
    Frame& frame = top();
    take_word(frame, frame.command);
    if (frame.kind == Frame::Kind::substitution && frame.word_plain) {
      if (frame.word == "case") frame.seen_case = true;
      // The patterns of a `case` may have a parenthesis that closes nothing.
      if (frame.word == "in" && frame.seen_case) lose("a `case` inside $( )");
    }
    frame.word.clear();
    frame.word_plain = true;
    frame.word_start = true;
  }

  void separator(char c) {
    end_word();
    if (std::string_view("\n;&|()").find(c) != std::string_view::npos) {
      const bool in_test = top().command.in_test && c != '\n' && c != ';';  // [[ a && (b || c) ]]
      top().command = {};
      top().command.in_test = in_test;
    }
    if (c == '\n') return newline();
    if (c == '<' || c == '>') top().command.redirects = true;
    if (c == '<' && sees("<<")) return here_operator();
    if (c == '(') {
      if (sees("((")) {
        // One shell reads this as a subshell in a subshell, another as arithmetic: a value must be harmless in both.
        at_ += 2;
        frames_.emplace_back(Frame::Kind::arithmetic);
        return;
      }
      ++top().depth;
    } else if (c == ')' && top().kind == Frame::Kind::substitution) {
      if (top().depth == 0) return close();
      --top().depth;
    }
    ++at_;
  }

  void close() {
    if (!top().pending.empty()) lose("a here-document whose text does not begin before the ')'");
    frames_.pop_back();
    ++at_;
  }

  void newline() {
    for (const Frame& frame : frames_) {
      if (&frame != &top() && !frame.pending.empty()) newline_inside();
    }
    ++at_;
    std::vector<PendingHere> pending = std::exchange(top().pending, {});
    for (const PendingHere& here : pending) here_text(here);
  }

  void comment() {
    std::size_t end = text_.find('\n', at_);
    if (end == std::string::npos || end > end_) end = end_;
    // A placeholder at the very end of the line is still in the comment.
    refuse_up_to(end + 1, "it is in a comment, and the second line of a value would no longer be in the comment");
    at_ = end;
  }

  void single_quoted() {
    ++at_;
    std::size_t end = text_.find('\'', at_);
    if (end == std::string::npos || end >= end_) {
      end = end_;
      if (nesting_ > 1) lose("a quote that is not closed in the here-document");
    }
    for (std::size_t i = at_; i < end; ++i) {
      if (text_[i] == '\n') {
        newline_inside();
        break;
      }
    }
    const SimpleCommand* command = command_here();
    while (marks_.is_before(end + 1)) {
      if (command != nullptr && (is_evaluated(*command) || is_number_operand(*command))) {
        assign(Place::Kind::refused, evaluated(*command));
      } else {
        assign(Place::Kind::single_quoted);
      }
    }
    at_ = end < end_ ? end + 1 : end;
  }

  void backticks() {
    std::size_t end = at_ + 1;
    while (end < end_ && text_[end] != '`') end += text_[end] == '\\' ? 2U : 1U;
    end = std::min(end, end_);
    if (std::string_view(text_).substr(at_, end - at_).find('\n') != std::string_view::npos) newline_inside();
    refuse_up_to(end + 1, "it is between backticks; write $(...) instead of the backticks");
    at_ = end < end_ ? end + 1 : end;
  }

  void dollar() {
    if (sees("$((")) {
      at_ += 3;
      frames_.emplace_back(Frame::Kind::arithmetic);
    } else if (sees("$(")) {
      at_ += 2;
      frames_.emplace_back(Frame::Kind::substitution);
    } else if (sees("${")) {
      at_ += 2;
      frames_.emplace_back(Frame::Kind::parameter);
    } else {
      ++at_;
      if (mark_here()) return;
      if (look() == '$') {  // $$: the process id of the shell
        ++at_;
        after_dollar_pair_ = true;
        return;
      }
      const std::size_t begin = at_;
      while (at_ < end_ && is_word_character(text_[at_]) && !(at_ > begin && mark_here())) ++at_;
      if (at_ > begin) variable_end_ = at_;
      if (at_ == begin &&
          (look() == '#' || look() == '?' || look() == '!' || look() == '@' || look() == '*' || look() == '-'))
        ++at_;
    }
  }

  // Reads one step inside double quotes, ${...} or a here-document. `closing` ends the quotes or the ${...}.
  void quoted_step(char closing) {
    const char c = look();
    Frame& frame = top();
    if (c == closing && closing != '\0') {
      frames_.pop_back();
      ++at_;
      return;
    }
    if (c == '\\') {
      if (frame.kind == Frame::Kind::here_document && look(1) == '\n') frame.escaped_newline = true;
      return backslash();
    }
    if (c == '`') return backticks();
    if (c == '$') return dollar();
    if (frame.kind == Frame::Kind::parameter && (c == '\'' || c == '"')) lose("quotes inside ${...}");
    if (c == '\n' && frame.kind != Frame::Kind::here_document) newline_inside();
    ++at_;
  }

  void arithmetic_step() {
    Frame& frame = top();
    const char c = look();
    if (c == '$') return dollar();
    if (c == '\'' || c == '"' || c == '`' || c == '\\')
      lose("quotes inside $(( )), or a subshell that begins with ((,");
    if (c == '\n') newline_inside();
    if (c == '(') ++frame.depth;
    if (c == ')') {
      if (frame.depth > 0) {
        --frame.depth;
      } else {
        if (!sees("))")) {
          lose("a '((' that is not closed by '))'");
        } else {
          ++at_;
        }
        frames_.pop_back();
        if (look(1) == '#') lose("'))#'");  // a comment in some shells, not in others
      }
    }
    ++at_;
  }

  // Reads `<<` and the delimiter after it.
  void here_operator() {
    at_ += 2;
    if (look() == '<') {  // a here-string: what follows is an ordinary word
      ++at_;
      return;
    }
    PendingHere here;
    if (look() == '-' && !mark_here()) {
      here.delimiter.strip_tabs = true;
      ++at_;
    }
    while ((look() == ' ' || look() == '\t') && !mark_here()) ++at_;
    char quote = '\0';
    while (at_ < end_ && (quote != '\0' || !is_separator(look()))) {
      if (mark_here()) {
        assign(Place::Kind::refused, "it is in the delimiter of a here-document");
        lose("such a here-document");
      }
      const char c = look();
      if (quote != '\0' && c == quote) {
        quote = '\0';
      } else if (quote == '\0' && (c == '\'' || c == '"')) {
        quote = c;
        here.quoted = true;
      } else if (quote == '\0' && c == '\\') {
        here.quoted = true;
        if (++at_ < end_) here.delimiter.word += look();
      } else {
        if (c == '$' || c == '`' || c == '\n' || (quote == '"' && c == '\\'))
          lose("a here-document with an unusual delimiter");
        here.delimiter.word += c;
      }
      ++at_;
    }
    if (mark_here()) lose("a here-document whose delimiter contains a value");
    if (here.delimiter.word.empty()) lose("a here-document with an empty delimiter");
    top().pending.push_back(std::move(here));
  }

  // Reads the text of a here-document, from at_ to the end of its last line.
  void here_text(const PendingHere& here) {
    const std::size_t begin = at_;
    std::size_t line = begin;
    std::size_t end = end_;
    std::size_t behind = end_;
    bool closed = false;
    while (line < end_) {
      std::size_t line_end = text_.find('\n', line);
      if (line_end == std::string::npos || line_end > end_) line_end = end_;
      std::string_view content(text_.data() + line, line_end - line);
      if (here.delimiter.strip_tabs) content.remove_prefix(std::min(content.find_first_not_of('\t'), content.size()));
      const bool has_mark = marks_.is_within(line, line_end);
      if (content == here.delimiter.word && !has_mark) {
        end = line;
        behind = std::min(line_end + 1, end_);
        closed = true;
        break;
      }
      line = line_end + 1;
    }
    if (!closed) lose("a here-document that is not ended by a line " + here.delimiter.word);
    if (here.quoted) {
      refuse_up_to(closed ? end : end_ + 1,
                   "it is in a here-document with a quoted delimiter, where nothing can be escaped; take the quotes "
                   "off the delimiter and write \\$ for a literal $");
    } else {
      here_documents_.push_back(here.delimiter);
      if (closed && std::string_view(text_).substr(begin, end - begin).find("\\\n") != std::string_view::npos) {
        refuse_up_to(end, std::string("the here-document has a line that ends with a backslash") + use_variable);
      }
      scan(end, Frame::Kind::here_document);
      here_documents_.pop_back();
    }
    at_ = behind;
    end_word();
  }

  PlaceholderMarks marks_;
  const std::string& text_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  std::size_t nesting_ = 0;
  std::vector<Frame> frames_;
  std::vector<HereDelimiter> here_documents_;
  bool escaped_ = false;            // a backslash is directly before at_
  bool after_dollar_pair_ = false;  // `$$` is directly before at_
  std::size_t variable_end_ = static_cast<std::size_t>(-1);
};

}  // namespace

std::vector<Place> find_places(const std::vector<std::string>& texts) {
  if (texts.size() < 2) return {};
  return PlaceFinder(texts).run();
}

std::vector<Place> find_places(const expressions::Template& command) { return find_places(command.texts); }

}  // namespace wtool::host::workflow
