#include "workflow/quoting/quoting_context.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "workflow/quoting/quoting_marks.h"

namespace wtool::host::workflow {
namespace {

constexpr std::size_t deepest = 64;
constexpr std::size_t max_here_document_depth = 8;
constexpr std::size_t max_literal = 256;  // bytes of a word that are read

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

  // A word of a command, without its quotes as far as that is known.
  struct Word {
    std::string text;
    bool begun = false;
    bool quoted = false;         // in part
    bool unknown = false;        // a value or an expansion is in it
    bool is_assignment = false;  // NAME=..., NAME+=... or NAME[...]=...
  };

  // What was read of a simple command.
  struct SimpleCommand {
    std::string name;          // empty: not read yet; "?": not known before the run
    std::string previous;      // the word before; empty: it is not known, or there is none
    std::string flags;         // the letters of all words that begin with '-'
    std::size_t operands = 0;  // how many words came after the name
    bool in_test = false;      // inside [[ ]]
    bool redirects = false;    // the next word belongs to a redirection
    bool has_prefix = false;   // `command`, `builtin` or `time` came, whose options are not the name
    bool declares = false;     // `coproc` or `function` came, after which a name may come
  };

  // An open parenthesis: the command that continues behind it, for that of an array or of a process substitution.
  struct Parenthesis {
    bool is_array = false;
    std::optional<SimpleCommand> outer;
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
    Word literal{};           // the word that is being read
    SimpleCommand command{};  // the command that is being read
    std::vector<Parenthesis> parentheses{};
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
    if (Frame* around = command_frame()) {
      const bool evaluated = is_evaluated(*around), is_number = is_number_operand(around->command);
      around->literal.begun = around->literal.unknown = true;
      if (evaluated || is_number) {
        frame.word_plain = false;
        frame.word_start = false;
        return evaluated ? assign(Place::Kind::refused, why_evaluated(around->command)) : assign(Place::Kind::number);
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

  // The frame of the command of which a word is here, in double quotes or not. nullptr: there is none.
  Frame* command_frame() {
    for (std::size_t i = frames_.size(); i-- > 0 && i + 2 >= frames_.size();) {
      Frame& frame = frames_[i];
      if (frame.kind == Frame::Kind::command || frame.kind == Frame::Kind::substitution) return &frame;
      if (frame.kind != Frame::Kind::double_quoted) return nullptr;
    }
    return nullptr;
  }

  // Whether bash evaluates the word here as code, as the name of a variable, or as arithmetic, however it is quoted. As
  // a part of `a[$(COMMAND)]`, a name or a number runs a command.
  static bool is_evaluated(const Frame& frame) {
    const SimpleCommand& command = frame.command;
    const std::string& name = command.name;
    const std::string& word = frame.literal.text;
    if (command.redirects) return false;
    if (!frame.parentheses.empty() && frame.parentheses.back().is_array && word.starts_with('[')) return true;
    const std::string variable = word.substr(0, word.find_first_of("=+["));
    const bool assigns = word.find('=') != std::string::npos;
    if (assigns &&
        is_one_of(variable, {"RANDOM", "SECONDS", "OPTIND", "HISTCMD", "PS4", "BASH_ENV", "ENV", "PROMPT_COMMAND"}) &&
        (frame.literal.is_assignment || is_one_of(name, {"declare", "typeset", "local", "readonly", "export"}))) {
      return true;
    }
    if (is_one_of(name, {"let", "trap", "unset", "mapfile", "readarray", "compgen", "complete"})) return true;
    if (is_one_of(name, {"declare", "typeset", "local", "readonly"})) {
      return !assigns || command.flags.find_first_of("inaA") != std::string::npos;
    }
    if (name == "export") return !assigns;
    if (name == "getopts") return command.operands == 1;
    if (name == "read") return !is_value_of_read(word) && !is_value_of_read(command.previous);
    if (name == "wait") return command.previous == "-p";
    if (name == "printf" && word.starts_with("-v")) return true;
    return command.previous == "-v" && (command.in_test || is_one_of(name, {"printf", "test", "["}));
  }
  // Whether a word of `read` is an option whose value is only a text or a number of seconds.
  static bool is_value_of_read(const std::string& word) {
    return word.starts_with('-') && word.find_first_of("dinNpt") != std::string::npos;
  }
  static std::string why_evaluated(const SimpleCommand& command) {
    const std::string what = command.in_test ? "[[" : command.name.empty() || command.name == "?" ? "" : command.name;
    return (what.empty() ? "bash evaluates this value" : "bash evaluates this argument of " + what) +
           " as code, as a name or as a number, so no value is safe here";
  }

  // Whether the word here is compared as a number in [[ ]], where bash evaluates it.
  bool is_number_operand(const SimpleCommand& command) const {
    if (!command.in_test) return false;
    const auto is_operator = [](std::string_view word) {
      return is_one_of(word, {"-eq", "-ne", "-lt", "-le", "-gt", "-ge"});
    };
    if (is_operator(command.previous)) return true;
    std::string_view rest = std::string_view(text_).substr(std::min(at_, text_.size()));
    while (!rest.empty() && !is_separator(rest[0]) && !rest.starts_with("\\\n")) rest.remove_prefix(1);
    while (rest.starts_with(' ') || rest.starts_with('\t') || rest.starts_with("\\\n")) {
      rest.remove_prefix(rest[0] == '\\' ? 2 : 1);
    }
    return is_operator(rest.substr(0, 3)) && (rest.size() == 3 || is_separator(rest[3]));
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
    Word& literal = frame.literal;
    literal.begun = true;
    if (c == '\'') {
      frame.word_plain = false;
      literal.quoted = true;
      return single_quoted();
    }
    if (c == '"') {
      frame.word_plain = false;
      literal.quoted = true;
      ++at_;
      frames_.emplace_back(Frame::Kind::double_quoted);
      return;
    }
    if (c == '\\') {
      frame.word_plain = false;
      literal.quoted = true;
      if (look(1) != '\n' && literal.text.size() < max_literal) literal.text += look(1);
      return backslash();
    }
    if (c == '`') {
      frame.word_plain = false;
      literal.unknown = true;
      return backticks();
    }
    if (c == '$') {
      frame.word_plain = false;
      literal.unknown = true;
      if (sees("$'")) lose("$'...', which only some shells know,");
      if (sees("$[")) lose("$[...], which only some shells know,");
      return dollar();
    }
    if (c == '=' && !literal.quoted && is_assignable(literal.text)) literal.is_assignment = true;
    if (frame.word.size() < 256) frame.word += c;
    if (literal.text.size() < max_literal) literal.text += c;
    ++at_;
  }

  // NAME, NAME+ and NAME[...] can be assigned to.
  static bool is_assignable(std::string_view text) {
    if (text.ends_with('+')) text.remove_suffix(1);
    const std::size_t bracket = text.find('[');
    return is_variable_name(text.substr(0, bracket)) && (bracket == std::string_view::npos || text.ends_with(']'));
  }

  // Call it when a word may have ended.
  static void take_word(Frame& frame) {
    const Word word = std::exchange(frame.literal, {});
    SimpleCommand& command = frame.command;
    if (!word.begun) return;
    if (std::exchange(command.redirects, false)) return;
    const std::string& text = word.text;
    const bool is_reserved = !word.quoted && !word.unknown;
    if (text.starts_with('-')) command.flags += text.substr(1);
    command.previous = word.unknown ? "" : text;
    if (is_reserved && command.in_test && text == "]]") command.in_test = false;
    if (is_reserved && command.declares && text == "{") {
      command = {};
      return;
    }
    if (!command.name.empty()) {
      ++command.operands;
      return;
    }
    if (word.is_assignment) return;
    if (command.has_prefix && text.starts_with('-')) return;
    if (is_one_of(text, {"command", "builtin"}) || (is_reserved && text == "time")) {
      command.has_prefix = true;
      return;
    }
    if (is_reserved && is_one_of(text, {"if", "then", "elif", "else", "while", "until", "do", "!", "{"})) return;
    if (is_reserved && is_one_of(text, {"coproc", "function"})) {
      command.declares = true;
      return;
    }
    if (is_reserved && text == "[[") command.in_test = true;
    command.name = word.unknown ? "?" : text;
  }

  void end_word() {
    Frame& frame = top();
    take_word(frame);
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
    Frame& frame = top();
    // In 2>&1, the digit belongs to the redirection.
    const bool redirects = c == '<' || c == '>';
    if (redirects && !frame.literal.quoted && !frame.literal.unknown &&
        frame.literal.text.find_first_not_of("0123456789") == std::string::npos) {
      frame.literal = {};
    }
    end_word();
    const char before = at_ > 0 ? text_[at_ - 1] : '\0';
    const bool in_operator =
        ((c == '&' || c == '|') && (before == '<' || before == '>')) || (c == '&' && look(1) == '>');
    if (redirects || in_operator) {
      frame.command.redirects = true;
    } else {
      new_command(frame, c, before);
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

  // A new command begins behind the separator, unless the separator is a blank, or the command continues behind it.
  static void new_command(Frame& frame, char separator, char before) {
    SimpleCommand& command = frame.command;
    if (separator == ' ' || separator == '\t') return;
    if (command.in_test) {
      command.previous.clear();
      return;
    }
    if (separator == '(') {
      const bool continues = before == '=' || before == '<' || before == '>';
      frame.parentheses.push_back({before == '=', continues ? std::optional(command) : std::nullopt});
      command = {};
      return;
    }
    std::optional<SimpleCommand> outer;
    if (separator == ')' && !frame.parentheses.empty()) {
      outer = std::move(frame.parentheses.back().outer);
      frame.parentheses.pop_back();
    }
    if (separator == '\n' && !frame.parentheses.empty() && frame.parentheses.back().is_array) return;
    command = outer.value_or(SimpleCommand());
    command.redirects = false;
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
    Frame* around = command_frame();
    std::size_t read = at_;
    const auto read_to = [&](std::size_t next) {
      if (around != nullptr && next - read < max_literal) around->literal.text += text_.substr(read, next - read);
      read = next;
    };
    while (marks_.is_before(end + 1)) {
      read_to(marks_.next_offset());
      if (around != nullptr) around->literal.unknown = true;
      if (around != nullptr && (is_evaluated(*around) || is_number_operand(around->command))) {
        assign(Place::Kind::refused, why_evaluated(around->command));
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
      if (Frame* around = command_frame()) {
        if (c == '`' || c == '$') around->literal.unknown = true;
        if (around->literal.text.size() < max_literal) around->literal.text += c;
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
    top().command.redirects = false;  // the delimiter is read here
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
