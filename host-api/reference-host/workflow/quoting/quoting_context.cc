#include "workflow/quoting/quoting_context.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "workflow/quoting/quoting_marks.h"
#include "workflow/quoting/simple_command.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t max_here_document_depth = 8;

class PlaceFinder {
 public:
  explicit PlaceFinder(const std::vector<std::string>& texts) : marks_(texts), text_(marks_.text()) {}

  std::vector<Place> run() {
    scan(text_.size(), Frame::Kind::command);
    return marks_.take_places();
  }

 private:
  using Word = SimpleCommandReader::Word;

  struct PendingHere {
    HereDelimiter delimiter;
    bool quoted = false;
  };

  struct Frame {
    enum class Kind { command, substitution, double_quoted, parameter, arithmetic, here_document };
    explicit Frame(Kind frame_kind) : kind(frame_kind) {}
    Kind kind;
    std::size_t depth = 0;         // open parentheses inside
    bool seen_case = false;        // in a substitution: the word `case` was read
    bool escaped_newline = false;  // in a here-document: a backslash was before a newline
    std::vector<PendingHere> pending;
    SimpleCommandReader command{};
  };

  bool mark_here() const { return marks_.is_at(at_); }
  void assign(Place::Kind kind, std::string why = "") { marks_.assign(kind, std::move(why), here_documents_); }
  void refuse_up_to(std::size_t end, const std::string& why) { marks_.refuse_up_to(end, why, here_documents_); }
  void lose(const std::string& what) { marks_.lose(what); }

  // --- the text ---

  std::string_view rest() const { return std::string_view(text_).substr(std::min(at_, text_.size())); }
  char look(std::size_t ahead = 0) const { return at_ + ahead < end_ ? text_[at_ + ahead] : '\0'; }
  bool sees(std::string_view what) const {
    return at_ + what.size() <= end_ && std::string_view(text_).substr(at_, what.size()) == what &&
           !marks_.is_between(at_, at_ + what.size());
  }
  // Reads the text from at_ to `end`, and moves at_ to `end`.
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
    SimpleCommandReader* command = command_here();
    if (command != nullptr && command->is_evaluated()) {
      assign(Place::Kind::refused, command->why_evaluated());
    } else if (command != nullptr && command->is_number_operand(rest())) {
      assign(Place::Kind::number);
    } else {
      assign_by_quotes(!fresh && variable_end_ == at_);
    }
    if (command != nullptr) command->word().begun = command->word().unknown = true;
  }

  // Gives the placeholder at at_ the place that the quotes around it imply. `after_variable`: it is directly after
  // `$name`.
  void assign_by_quotes(bool after_variable) {
    const Frame& frame = top();
    switch (frame.kind) {
      case Frame::Kind::command:
      case Frame::Kind::substitution:
        assign_bare();
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

  // The command to which the text here belongs, whether it is in double quotes or not. nullptr: the text belongs to no
  // command, as in a here-document.
  SimpleCommandReader* command_here() {
    for (std::size_t i = frames_.size(); i-- > 0 && i + 2 >= frames_.size();) {
      Frame& frame = frames_[i];
      if (frame.kind == Frame::Kind::command || frame.kind == Frame::Kind::substitution) return &frame.command;
      if (frame.kind != Frame::Kind::double_quoted) return nullptr;
    }
    return nullptr;
  }

  void assign_bare() {
    const Word& word = top().command.word();
    const std::size_t bracket = word.text.find('[');
    const bool subscript =
        word.is_plain() && bracket != std::string::npos && bracket > 0 && is_word_character(word.text[0]);
    if (subscript) {
      assign(Place::Kind::refused,
             std::string("it is in the index of an array, which some shells evaluate") + use_variable);
    } else {
      assign(Place::Kind::bare);
    }
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
    Word& word = frame.command.word();
    if (c == '#' && !word.begun) return comment();
    word.begun = true;
    if (c == '\'') {
      word.quoted = true;
      return single_quoted();
    }
    if (c == '"') {
      word.quoted = true;
      ++at_;
      frames_.emplace_back(Frame::Kind::double_quoted);
      return;
    }
    if (c == '\\') {
      word.quoted = true;
      if (look(1) != '\n') word.add(look(1));
      return backslash();
    }
    if (c == '`') {
      word.unknown = true;
      return backticks();
    }
    if (c == '$') {
      word.unknown = true;
      if (sees("$'")) lose("$'...', which only some shells know,");
      if (sees("$[")) lose("$[...], which only some shells know,");
      return dollar();
    }
    frame.command.add_bare(c);
    ++at_;
  }

  void end_word() {
    Frame& frame = top();
    const Word word = frame.command.end_word();
    if (frame.kind == Frame::Kind::substitution && word.is_plain()) {
      if (word.text == "case") frame.seen_case = true;
      // The patterns of a `case` may have a parenthesis that closes nothing.
      if (word.text == "in" && frame.seen_case) lose("a `case` inside $( )");
    }
  }

  void separator(char c) {
    Frame& frame = top();
    // In 2>&1, the digit belongs to the redirection.
    const bool redirects = c == '<' || c == '>';
    Word& word = frame.command.word();
    if (redirects && word.is_plain() && word.text.find_first_not_of("0123456789") == std::string::npos) word = {};
    end_word();
    const char before = at_ > 0 ? text_[at_ - 1] : '\0';
    const bool in_operator =
        ((c == '&' || c == '|') && (before == '<' || before == '>')) || (c == '&' && look(1) == '>');
    if (redirects || in_operator) {
      frame.command.begin_redirection();
    } else {
      frame.command.read_separator(c, before);
    }
    if (c == '\n') return newline();
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
    SimpleCommandReader* command = command_here();
    std::size_t read = at_;
    const auto read_to = [&](std::size_t next) {
      if (command != nullptr && next - read < SimpleCommandReader::max_word)
        command->word().text += text_.substr(read, next - read);
      read = next;
    };
    while (marks_.is_before(end + 1)) {
      read_to(marks_.next_offset());
      if (command != nullptr) command->word().unknown = true;
      if (command != nullptr && (command->is_evaluated() || command->is_number_operand(rest()))) {
        assign(Place::Kind::refused, command->why_evaluated());
      } else {
        assign(Place::Kind::single_quoted);
      }
    }
    read_to(end);
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
    if (frame.kind == Frame::Kind::double_quoted) {
      if (SimpleCommandReader* command = command_here()) {
        if (c == '`' || c == '$') command->word().unknown = true;
        command->word().add(c);
      }
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
    top().command.end_redirection();  // this function reads the delimiter itself
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
    if (!closed) lose("a here-document that is not closed by a line " + here.delimiter.word);
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
