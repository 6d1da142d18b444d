#include "policy/entries.h"

#include <algorithm>

#include "base/utf8.h"
#include "policy/directories.h"
#include "policy/programs/names.h"
#include "policy/wrappers.h"

namespace wtool::policy {

namespace {

constexpr const char* who_can_add = "the person who maintains the configuration can add it";

bool is_same_program(const std::string& listed, const std::string& given, const Programs& programs,
                     const std::vector<std::string>& directories) {
  if (base_name(listed) != base_name(given)) return false;
  const bool listed_is_name = listed.find('/') == std::string::npos;
  const bool given_is_name = given.find('/') == std::string::npos;
  if (listed_is_name) return given_is_name || (given.starts_with('/') && programs.is_found(given));
  if (given_is_name) return listed.starts_with('/') && programs.is_found(listed);
  const std::string wanted = resolve_path(directories.front(), listed);
  if (wanted == "/") return false;  // not a program: the path could not be resolved
  return std::all_of(directories.begin(), directories.end(),
                     [&](const std::string& directory) { return resolve_path(directory, given) == wanted; });
}

}  // namespace

Entry::Entry(std::string_view given) : text(given) {
  std::string_view rest = given;
  while (!rest.empty()) {
    const std::size_t space = std::min(rest.find(' '), rest.size());
    if (space > 0) words.emplace_back(rest.substr(0, space));
    rest.remove_prefix(std::min(space + 1, rest.size()));
  }
  if (words.size() > 1 && words.back() == "*") {
    words.pop_back();
    prefix = true;
  }
}

Coverage covers(const Entry& entry, const std::vector<Word>& words, const Programs& programs,
                const std::vector<std::string>& directories) {
  if (entry.words.empty() || words.size() < entry.words.size()) return Coverage::none;
  if (!is_same_program(entry.words.front(), words.front().text, programs, directories)) return Coverage::none;
  for (std::size_t i = 1; i < entry.words.size(); ++i) {
    if (!words[i].literal || words[i].text != entry.words[i]) return Coverage::none;
  }
  if (entry.prefix) return Coverage::prefix;
  if (entry.words.size() == 1) return Coverage::program;
  return words.size() == entry.words.size() ? Coverage::exact : Coverage::none;
}

bool is_about(const Entry& entry, const std::vector<Word>& words) {
  if (entry.words.empty() || words.empty()) return false;
  if (entry.text == "*") return true;
  const std::string_view tool = base_name(words.front().text);
  const std::string_view wanted = base_name(entry.words.front());
  if (tool != wanted && known_name(tool) != known_name(wanted)) return false;
  // Compares the entry's words as text, whatever they mean: either all of them directly after the program, or an option
  // and its value anywhere after the program.
  const auto is_same = [](const Word& word, const std::string& text) { return word.literal && word.text == text; };
  const auto found = std::search(words.begin() + 1, words.end(), entry.words.begin() + 1, entry.words.end(), is_same);
  if (found == words.begin() + 1 && found != words.end()) return true;
  if (found != words.end() && entry.words.size() > 2 && entry.words[1].starts_with('-') &&
      (!entry.words.back().starts_with('-') ||
       std::none_of(words.begin() + 1, found, [&](const Word& word) { return is_same(word, "--"); }))) {
    return true;
  }
  std::vector<std::string> options, operands;
  for (std::size_t i = 1; i < entry.words.size(); ++i) {
    const std::string& word = entry.words[i];
    (word.size() > 1 && word.front() == '-' ? options : operands).push_back(word);
  }
  return arguments_match(known_name(tool), words, options, operands);
}

std::vector<Entry> parse_entries(const std::vector<std::string>& texts) {
  std::vector<Entry> entries;
  for (const std::string& text : texts) entries.emplace_back(text);
  return entries;
}

std::string in_quotes(std::string_view text) { return '"' + clipped(text, 200) + '"'; }

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
  if (names(name)) return "no entry of commands.allow covers " + in_quotes(name) + " as it is used here";
  const std::string_view base = base_name(name);
  if (names(base) && name.find('/') != std::string::npos) {
    return in_quotes(name) + " is not the same program as " + in_quotes(base) + " in commands.allow";
  }
  return in_quotes(name) + " is not in commands.allow";
}

std::string AllowList::hint(const std::vector<Word>& words) const {
  constexpr std::size_t most = 12;
  if (words.front().text == "time" && words.size() > 1) {
    return "leave out the word time, or add the entry \"time\" to commands.allow";
  }
  std::string text = words.front().text == "cd" ? "set working_directory to the folder instead; " : "";
  text += "the entries of commands.allow are: ";
  for (std::size_t i = 0; i < entries_.size() && i < most; ++i) text += (i > 0 ? ", " : "") + entries_[i].text;
  if (entries_.empty()) text += "none";
  if (entries_.size() > most) text += ", and " + std::to_string(entries_.size() - most) + " more";
  return text + "; the person who maintains the configuration can add one";
}

std::string entry_hint(const std::vector<Word>& words) {
  constexpr std::size_t longest = 100;
  std::string entry;
  for (const Word& word : words) entry += (entry.empty() ? "" : " ") + word.text;
  const Entry read(entry);
  // The hint adds an argument, because an entry of one word would allow the program with all safe arguments.
  if (words.size() == 1) {
    return "an entry that also names arguments would allow the program with exactly these: " +
           in_quotes(entry + " ARGUMENT");
  }
  if (read.prefix || read.words != texts_of(words) ||
      std::any_of(words.begin(), words.end(), [](const Word& word) { return !word.literal; })) {
    return "leave it out: no entry can name these words; commands.unlisted: ask lets a person decide";
  }
  if (entry.size() > longest) return "leave it out; commands.allow can name the whole command";
  return "the entry " + in_quotes(entry) + " in commands.allow would allow it; " + who_can_add;
}

std::string any_arguments_hint(const Word& program) {
  return "the entry " + in_quotes(program.text + " *") + " in commands.allow would allow all of them; " + who_can_add;
}

}  // namespace wtool::policy
