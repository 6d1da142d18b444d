#include "policy/allow_list.h"

#include <algorithm>

namespace wtool::policy {

std::vector<Entry> parse_entries(const std::vector<std::string>& texts) {
  std::vector<Entry> entries;
  for (const std::string& text : texts) entries.emplace_back(text);
  return entries;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t most = 200;
  return "\"" + std::string(text.substr(0, most)) + (text.size() > most ? "..." : "") + "\"";
}

bool has_allow_list(const CommandRules& rules) {
  return rules.allow && std::find(rules.allow->begin(), rules.allow->end(), "*") == rules.allow->end();
}

AllowList::AllowList(const CommandRules& rules)
    : exists_(has_allow_list(rules)), entries_(exists_ ? parse_entries(*rules.allow) : std::vector<Entry>()) {}

AllowList::Best AllowList::cover(const std::vector<Word>& words, const Programs& programs,
                                 const std::vector<std::string>& directories) const {
  Best best;
  for (const Entry& entry : entries_) {
    const Coverage coverage = covers(entry, words, programs, directories);
    if (coverage > best.coverage) best = {coverage, &entry};
  }
  return best;
}

bool AllowList::names(std::string_view program) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return !entry.words.empty() && entry.words[0] == program; });
}

std::string AllowList::why_not(const std::vector<Word>& words) const {
  const std::string& name = words.front().text;
  if (names(name)) return "no entry of commands.allow covers these words of " + quoted(name);
  const std::string_view base = base_name(name);
  if (names(base) && name.find('/') != std::string::npos) {
    return quoted(name) + " is not the program that " + quoted(base) + " in commands.allow stands for";
  }
  return quoted(name) + " is not in commands.allow";
}

std::string AllowList::hint(const std::vector<Word>& words) const {
  constexpr std::size_t most = 12;
  if (words.front().text == "time" && words.size() > 1) {
    return "leave time out, or let the entry \"time\" in commands.allow allow that program";
  }
  std::string text = "allowed are: ";
  for (std::size_t i = 0; i < entries_.size() && i < most; ++i) text += (i > 0 ? ", " : "") + entries_[i].text;
  if (entries_.empty()) text += "none";
  if (entries_.size() > most) text += ", and " + std::to_string(entries_.size() - most) + " more";
  return text + "; the person who keeps the configuration can add an entry to commands.allow";
}

std::string entry_hint(const std::vector<Word>& words) {
  constexpr std::size_t longest = 100;
  std::string entry;
  for (const Word& word : words) entry += (entry.empty() ? "" : " ") + word.text;
  const Entry read(entry);
  // An entry of one word would allow the program, with safe arguments.
  const bool is_entry = words.size() > 1 && entry.size() <= longest && !read.prefix && read.words == texts_of(words) &&
                        std::all_of(words.begin(), words.end(), [](const Word& word) { return word.literal; });
  if (!is_entry) return "leave it out; commands.allow can name the whole command";
  return "the entry " + quoted(entry) + " in commands.allow would allow it";
}

}  // namespace wtool::policy
