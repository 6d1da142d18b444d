// The entries of commands.allow, commands.deny and commands.ask: which commands they cover, and what is said where none
// does. Pure, but for asking which file a name stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/programs.h"
#include "policy/rules.h"
#include "policy/words.h"

namespace wtool::policy {

// The words of an entry; a last "*" is no word, but makes it a prefix.
struct Entry {
  explicit Entry(std::string_view text);

  std::string text;
  std::vector<std::string> words;
  bool prefix = false;
};

// What an allow entry says of a command of literal words.
enum class Coverage {
  none,
  program,  // it allows the program, with any arguments (that `arguments` allows)
  prefix,   // it allows these first words, with any words behind them (that `arguments` allows)
  exact,    // it allows these words
};

// A bare name is covered by that name; an absolute path by itself, and by the name of the program where it is the very
// file that `programs` finds for it. A path is what it leads to from `directories` (canonical), all of them, where the
// command may run; a relative one in an entry is meant from the first of them, where the line begins.
Coverage covers(const Entry& entry, const std::vector<Word>& words, const Programs& programs,
                const std::vector<std::string>& directories);

// True where an entry of a deny or ask list is about the command, under whatever path: `rm -f` is about `/bin/rm -rf
// x`.
bool is_about(const Entry& entry, const std::vector<Word>& words);

std::vector<Entry> parse_entries(const std::vector<std::string>& texts);

// In double quotes, cut where it is long: for messages.
std::string quoted(std::string_view text);

// False without a list, and with "*" in it.
bool has_allow_list(const CommandRules& rules);

class AllowList {
 public:
  explicit AllowList(const CommandRules& rules);
  bool exists() const { return exists_; }

  struct Best {
    Coverage coverage = Coverage::none;
    const Entry* entry = nullptr;
  };
  Best cover(const std::vector<Word>& words, const Programs& programs,
             const std::vector<std::string>& directories) const;

  // True where there are entries for this program, but perhaps none for these words.
  bool names(std::string_view program) const;
  // Why no entry covers these words, and what would be allowed.
  std::string why_not(const std::vector<Word>& words) const;
  std::string hint(const std::vector<Word>& words) const;

 private:
  bool exists_;
  std::vector<Entry> entries_;
};

// The entry that says all of the words, as a hint for words that are listed, but not safe.
std::string entry_hint(const std::vector<Word>& words);

}  // namespace wtool::policy
