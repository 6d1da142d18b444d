// The entries of commands.allow, commands.deny and commands.ask: which commands they cover, and the reason to give
// where no entry does. Pure, except that it asks which file a name means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/programs.h"
#include "policy/rules.h"
#include "policy/words.h"

namespace wtool::policy {

// The words of an entry. A trailing "*" is not a word; it makes the entry a prefix.
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

// A program named by its bare name is covered by that name. One named by an absolute path is covered by that path, and
// by its name if it is the very file that `programs` finds for the name. Paths are resolved from every one of
// `directories` (canonical) where the command may run; relative ones in an entry from the first of them, where the line
// begins.
Coverage covers(const Entry& entry, const std::vector<Word>& words, const Programs& programs,
                const std::vector<std::string>& directories);

// True where an entry of a deny or ask list matches the command, under any path: `rm -f` matches `/bin/rm -rf x`.
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
