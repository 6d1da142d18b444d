#include "base/edit_distance.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace wtool {

namespace {

constexpr std::string_view question_begin = "; did you mean '";
constexpr std::string_view question_end = "'?";

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view name, const std::vector<std::string>& known, std::string_view prefix) {
  constexpr std::size_t longest_name = 128;
  constexpr std::size_t max_compared = 2000;
  constexpr std::size_t shortest_name = 2;  // a single letter is similar to every other letter
  const auto is_comparable = [](std::string_view one) {
    return one.size() >= shortest_name && one.size() <= longest_name;
  };
  const auto question = [&](std::string_view meant) {
    return std::string(question_begin).append(prefix).append(meant).append(question_end);
  };
  std::string_view best;
  std::size_t fewest = 0;
  std::size_t compared = 0;
  for (const std::string& candidate : known) {
    if (candidate == name) continue;
    if (++compared > max_compared) break;
    if (candidate.size() == name.size() && lowered(candidate) == lowered(name)) return question(candidate);
    if (!is_comparable(name) || !is_comparable(candidate)) continue;
    const std::size_t allowed = std::max<std::size_t>(1, candidate.size() / 3);
    if (name.size() > candidate.size() + allowed) continue;
    const std::size_t needed = edits(name, candidate);
    if (needed <= allowed && (best.empty() || needed < fewest)) {
      best = candidate;
      fewest = needed;
    }
  }
  return best.empty() ? "" : question(best);
}

std::string suggested_in(std::string_view message) {
  const std::size_t begin = message.find(question_begin);
  if (begin == std::string_view::npos) return "";
  message.remove_prefix(begin + question_begin.size());
  return std::string(message.substr(0, message.find(question_end)));
}

std::string question_then(std::string question, std::string_view clause) {
  if (clause.empty()) return question;
  if (question.empty()) return question.append("; ").append(clause);
  question += ' ';
  question += upper(clause.front());
  return question.append(clause.substr(1));
}

std::string known_names(std::string_view name, std::string_view kind, const std::vector<std::string>& known) {
  if (known.empty()) return std::string("; there are no ").append(kind);
  return question_then(did_you_mean(name, known), std::string("the ").append(kind).append(" are ") + joined(known));
}

}  // namespace wtool
