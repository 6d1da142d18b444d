// The reader for policy/words.h: recursive descent over the bytes, because in shell text the meaning of a byte depends
// on everything around it. It reads one dialect, and notes where dialects differ. words.cc then reads the text again
// for each other dialect, so that no command of any shell is missed.
//
// - It moves only forward, with exceptions such as a `((` that turns out to be two subshells. The bytes that are read
//   again for them are charged to a budget, which is linear in the length of the text.
// - Everything that nests is entered through Nest, which limits the depth, and with it the recursion.
// - After fail() nothing more is read: at_ is at the end, and every loop ends there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/words.h"
#include "policy/words/characters.h"

namespace wtool::policy {

// Bash by default.
struct ShellDialect {
  bool dash = false;
  bool extglob = false;  // as after `shopt -s extglob`
  bool posix = false;    // as bash reads when it is called sh
  bool rebuilt = false;  // the line is written out again, which settles some of what shells read differently
};

// What is known about a text so far. Readers of nested text (backquotes) add to the findings of the outer reader.
struct Findings {
  Findings(ShellDialect as, std::size_t text_size) : dialect(as), rereads(16 * (text_size + 1024)) {}

  ShellDialect dialect;
  Script script;
  std::vector<std::size_t> begins;  // where each of script.commands begins
  bool differs = false;             // bash and dash read something in it differently
  bool extglob = false;             // something in it depends on bash's option extglob
  bool posix = false;               // something in it depends on bash's posix mode
  bool gave_up = false;             // the error is a limit of this reader; the shell may well read further
  int depth = 0;                    // how many constructs enclose the current position
  std::size_t rereads;              // how many bytes may still be read a second time
  int here_documents = 0;
};

class WordReader {
 public:
  // `text` begins at `offset` in the line. If `whole` is given, the text was unescaped, so its offsets no longer fit
  // the line; everything in it is then reported at the range `whole`.
  WordReader(std::string_view text, Findings& findings, std::size_t offset = 0,
             std::optional<Range> whole = std::nullopt)
      : text_(text), end_(text.size()), findings_(findings), offset_(offset), whole_(whole) {}

  // Reads all of the text as commands.
  void read(bool reads_pipe = false);

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  enum class Keyword {
    no,
    bang,
    open_brace,
    close_brace,
    if_,
    then,
    elif,
    else_,
    fi,
    while_,
    until,
    do_,
    done,
    for_,
    case_,
    esac,
    in,
    // only in bash:
    condition,
    function,
    select,
    time,
    coproc
  };

  enum class Quotes { absent, doubled };

  // The position of a word decides what `=` and `(` may mean in it.
  enum class Place { first, argument, pattern, condition, element };

  struct ReadWord {
    Word word;
    bool quoted = false;      // a part was quoted, escaped or expanded: the word is not a keyword or a number
    bool assignment = false;  // NAME=value, NAME+=value, NAME[...]=value
    bool array = false;       // NAME=(...)
    // The parts that expand_known() can expand, each as its mark in Word::open, with its position in the word's text.
    // `closed`: the word also has parts that are not literal and that expand_known() cannot expand.
    std::vector<std::pair<std::size_t, OpenMark>> marks;
    bool closed = false;
    // The obstacle to note if such a part cannot be expanded after all: where it begins, and what it is.
    std::size_t open_at = 0;
    std::string open_what;
  };

  // What word() must remember while it reads a word.
  struct WordState {
    Place place;
    std::size_t begin;
    bool bare = true;                        // only plain characters so far
    char last = '\0';                        // the last character, if it was unquoted
    std::size_t brace = none;                // where the first unquoted `{` is in the word's text
    std::vector<std::size_t> brackets = {};  // where the unquoted `[` are
  };

  struct HereDocument {
    std::size_t command;
    std::size_t redirection;
    std::string delimiter;
    bool quoted;
    bool strip_tabs;
  };

  // A position from which reading can resume.
  struct Mark {
    std::size_t at, commands, here_documents, pending;
    std::optional<Obstacle> obstacle, lasting;
  };

  // Counts a construct in Findings::depth while it is read, and limits that depth.
  class Nest {
   public:
    explicit Nest(WordReader& reader);
    ~Nest() { --reader_.findings_.depth; }
    Nest(const Nest&) = delete;
    Nest& operator=(const Nest&) = delete;

   private:
    WordReader& reader_;
  };

  // reader.cc: the cursor and the findings
  bool failed() const { return findings_.script.error.has_value(); }
  bool as_dash() const { return findings_.dialect.dash; }
  Range range(std::size_t begin, std::size_t end) const;
  void note(std::size_t begin, std::string_view what);       // an obstacle from `begin` to the cursor
  void note_open(std::size_t begin, std::string_view what);  // an obstacle that expand_known() may remove
  void fail(std::size_t begin, std::string_view what);       // an error, in the same range
  void give_up(std::size_t begin, std::string_view what);
  bool bash_only(std::size_t begin, std::string_view what);
  bool posix_mode();
  Mark mark() const;
  void go_back(const Mark& mark);
  std::size_t behind_continuations(std::size_t at) const;
  char peek();
  char peek_second();
  void step() { ++at_; }
  bool take(char c);
  void skip_blanks();
  void skip_newlines();
  void newline();

  // commands.cc
  bool list();
  std::size_t and_or();
  std::size_t pipeline();
  std::size_t command();
  bool expect(Keyword keyword, std::string_view what);
  Keyword keyword(std::size_t& behind);
  bool at_keyword(Keyword wanted);
  void unexpected();

  // compounds.cc
  void subshell(std::size_t begin);
  void if_clause();
  void loop();
  void for_clause(std::size_t begin);
  void case_clause();
  void conditional(std::size_t begin);
  void function(std::size_t begin);
  void coprocess();
  void function_body();
  void redirections_of_compound(std::size_t first_command);

  // simple.cc
  std::size_t open_command(std::size_t begin);
  std::size_t simple_command();
  bool redirection(SimpleCommand& command, std::size_t slot);
  bool discards_both(SimpleCommand& command);
  void read_target(Redirection& redirection, std::string descriptor, std::string_view op, std::size_t begin);
  void note_number_before_redirection(std::size_t begin, std::string_view target);
  void here_document(Redirection& redirection, std::size_t slot, std::size_t index, bool strip_tabs);
  bool read_delimiter(HereDocument& document, std::string& text);
  void read_bodies();
  void read_body(const HereDocument& document);

  // word.cc
  ReadWord word(Place place);
  void plain_part(ReadWord& read, WordState& state);
  bool reads_on(char c, ReadWord& read, WordState& state);
  void special_part(char c, ReadWord& read, WordState& state);
  void quoted_part(char c, ReadWord& read);
  void bracket(ReadWord& read, WordState& state);
  void tilde(char before, ReadWord& read, const WordState& state);
  void judge_braces(ReadWord& read, const WordState& state);
  void judge_brackets(ReadWord& read, WordState& state);
  void equals(ReadWord& read, Place place, bool bare);
  void settle_open(ReadWord& read, Place place, const std::vector<std::size_t>& brackets, const std::string& text);
  void subscript();
  void array();
  void pattern_list();
  void unusual(ReadWord& read);
  bool starts_word();
  bool at_process_substitution();
  void single_quoted(std::string* text);
  void double_quoted(ReadWord* read);
  void ansi_quoted(ReadWord* read);

  // expansions.cc
  void dollar(Quotes quotes, ReadWord* read);
  void expands(ReadWord* read, std::size_t begin, std::string_view what);
  void opens(ReadWord* read, std::size_t begin, OpenMark mark, const std::string& what);
  void backquotes(Quotes quotes, ReadWord* read);
  void substitution(std::size_t begin, const std::string& what);
  void parameter(Quotes quotes);
  void parenthesised(std::size_t begin);
  bool arithmetic(char open, char close, int closing);
  void expansions_until(std::size_t end);
  void quoted_in_expansion();

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t end_;
  Findings& findings_;
  std::size_t offset_;
  std::optional<Range> whole_;
  std::vector<HereDocument> pending_;  // their bodies begin after the next newline
  bool reads_pipe_ = false;            // the command that is read now has a pipe as its standard input
};

}  // namespace wtool::policy
