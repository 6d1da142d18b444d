// Reads the words of the simple commands in a shell command one by one, and finds out whether bash evaluates the next
// word.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::host::workflow {

// Whether this character, outside quotes, ends a word.
bool is_separator(char c);

class SimpleCommandReader {
 public:
  // The word that is being read, as far as it is known, without its quotes.
  struct Word {
    std::string text;  // at most about max_word bytes
    bool begun = false;
    bool quoted = false;         // true if any part of it is quoted
    bool unknown = false;        // a value or an expansion is in it
    bool is_assignment = false;  // NAME=..., NAME+=... or NAME[...]=...

    bool is_plain() const { return !quoted && !unknown; }
    void add(char c) {
      if (text.size() < max_word) text += c;
    }
  };
  static constexpr std::size_t max_word = 256;  // bytes of a word that are read

  Word& word() { return word_; }

  // Adds a character that is outside quotes.
  void add_bare(char c);

  // Call it when a word may have ended. Returns that word.
  Word end_word();

  // Call it after end_word(), for a separator that is not part of a redirection. `before`: the character before it.
  // If the separator ends the command, as a blank never does, a new command begins after it.
  void read_separator(char separator, char before);

  void begin_redirection() { command_.redirects = true; }
  void end_redirection() { command_.redirects = false; }

  // Whether bash evaluates the word here as code, as the name of a variable, or as arithmetic, however it is quoted.
  // Even a name or a number can run a command: `a[$(COMMAND)]` does.
  bool is_evaluated() const;
  std::string why_evaluated() const;

  // Whether the word here is compared as a number in [[ ]], where bash evaluates it. `rest`: the text from here on.
  bool is_number_operand(std::string_view rest) const;

 private:
  struct SimpleCommand {
    std::string name;          // empty: not read yet; "?": not known before the run
    std::string previous;      // the word before this one; empty for the first word and for a word that is not known
    std::string flags;         // the letters of all words that begin with '-'
    std::size_t operands = 0;  // how many words came after the name
    bool in_test = false;      // inside [[ ]]
    bool redirects = false;    // the next word belongs to a redirection
    bool has_prefix = false;   // `command`, `builtin` or `time` came, whose options are not the name
    bool declares = false;     // the word before was `coproc` or `function`, so a name may follow
  };

  // An open parenthesis. If it begins an array or a process substitution, `outer` is the command around it, which
  // continues after the parenthesis is closed.
  struct Parenthesis {
    bool is_array = false;
    std::optional<SimpleCommand> outer;
  };

  bool in_array() const { return !parentheses_.empty() && parentheses_.back().is_array; }

  Word word_;
  SimpleCommand command_;
  std::vector<Parenthesis> parentheses_;
};

}  // namespace wtool::host::workflow
