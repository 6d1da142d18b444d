#include "policy/interactive.h"

#include <algorithm>
#include <string_view>

#include "policy/programs.h"
#include "policy/programs/names.h"
#include "policy/programs/reader.h"
#include "policy/programs/spec.h"

namespace wtool::policy {

namespace {

// "-b" is a letter, which may stand among others.
bool works_alone(std::string_view without_terminal, const std::string& word) {
  if (word == "--version" || word == "--help" || programs::is_listed(without_terminal, word)) return true;
  if (word.size() < 2 || word[0] != '-' || word[1] == '-') return false;
  return std::any_of(word.begin() + 1, word.end(), [&](char letter) {
    return programs::is_listed(without_terminal, std::string{'-', letter});
  });
}

}  // namespace

bool needs_terminal(const std::vector<std::string>& words) {
  const programs::Compiled* const found = programs::find_program(known_name(base_name(words.front())));
  if (found == nullptr || !found->spec().terminal) return false;
  return std::none_of(words.begin() + 1, words.end(),
                      [&](const std::string& word) { return works_alone(found->spec().without_terminal, word); });
}

}  // namespace wtool::policy
