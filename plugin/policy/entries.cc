#include "policy/entries.h"

#include <algorithm>

#include "policy/directories.h"
#include "policy/programs/names.h"
#include "policy/wrappers.h"

namespace wtool::policy {

namespace {

bool is_same_program(const std::string& listed, const std::string& given, const Programs& programs,
                     const std::vector<std::string>& directories) {
  if (base_name(listed) != base_name(given)) return false;
  const bool listed_is_name = listed.find('/') == std::string::npos;
  const bool given_is_name = given.find('/') == std::string::npos;
  if (listed_is_name) return given_is_name || (given.starts_with('/') && programs.is_found(given));
  if (given_is_name) return listed.starts_with('/') && programs.is_found(listed);
  const std::string wanted = resolve_path(directories.front(), listed);
  if (wanted == "/") return false;  // That is no program: it could not be resolved.
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
  std::vector<std::string> options, operands;
  for (std::size_t i = 1; i < entry.words.size(); ++i) {
    const std::string& word = entry.words[i];
    (word.size() > 1 && word.front() == '-' ? options : operands).push_back(word);
  }
  return arguments_match(known_name(tool), words, options, operands);
}

}  // namespace wtool::policy
