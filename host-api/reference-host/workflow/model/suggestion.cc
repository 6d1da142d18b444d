#include "workflow/model/suggestion.h"

#include <algorithm>
#include <span>

#include "base/edit_distance.h"

namespace wtool::host::workflow {
namespace {

constexpr std::string_view question = "; did you mean '";

}  // namespace

std::string suggested_in(std::string_view message) {
  const std::size_t begin = message.find(question);
  if (begin == std::string_view::npos) return "";
  message.remove_prefix(begin + question.size());
  return std::string(message.substr(0, message.find("'?")));
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  constexpr std::size_t max_word = 64;
  constexpr std::size_t max_words = 2000;
  constexpr std::size_t shortest_word = 3;  // of less, everything is a neighbour
  if (word.size() < shortest_word || word.size() > max_word) return "";
  std::vector<std::string> candidates;
  for (const std::string& candidate : known) {
    if (candidates.size() == max_words) break;
    if (candidate != word && candidate.size() <= max_word) candidates.push_back(candidate);
  }
  const std::string_view found = nearest(word, candidates);
  return found.empty() ? "" : std::string(question) + std::string(found) + "'?";
}

}  // namespace wtool::host::workflow
