// commands.allow: which of its entries covers a command, and what is said where none does. Pure, but for asking which
// file a name stands for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "policy/entries.h"
#include "policy/rules.h"

namespace wtool::policy {

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
