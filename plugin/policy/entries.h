// The entries of commands.allow, commands.deny and commands.ask: which commands they cover, and the reason to give if
// no entry covers a command. Pure, except that it looks up the files of programs.
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

// What an allow entry says about a command of literal words.
enum class Coverage {
  none,
  program,  // it allows the program, with any arguments (that `arguments` allows)
  prefix,   // it allows these first words, with any words after them (that `arguments` allows)
  exact,    // it allows these words
};

// A program that is named by its bare name is covered by that name. A program that is named by an absolute path is
// covered by that path, and by its name if `programs` finds this very file for the name. The command's path is resolved
// from each of `directories` (canonical), in which the command may run. A relative path in an entry is resolved from
// the first of these directories, which is the one where the line starts.
Coverage covers(const Entry& entry, const std::vector<Word>& words, const Programs& programs,
                const std::vector<std::string>& directories);

// True if an entry of a deny or ask list matches the command, by whatever path the program is named: `rm -f` matches
// `/bin/rm -rf x`.
bool is_about(const Entry& entry, const std::vector<Word>& words);

std::vector<Entry> parse_entries(const std::vector<std::string>& texts);

// The text in double quotes, cut if it is long: for messages.
std::string in_quotes(std::string_view text);

// False if there is no list, or if the list has "*".
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

  // True if an entry names this program, even if no entry covers the command.
  bool names(std::string_view program) const;
  // Why no entry covers these words, and what would be allowed.
  std::string why_not(const std::vector<Word>& words) const;
  std::string hint(const std::vector<Word>& words) const;

 private:
  bool exists_;
  std::vector<Entry> entries_;
};

// A hint for a command that is listed but not safe: it shows the entry that would name all of the words.
std::string entry_hint(const std::vector<Word>& words);

// A hint for a program whose arguments are not allowed: it shows the entry that would allow all arguments.
std::string any_arguments_hint(const Word& program);

}  // namespace wtool::policy
