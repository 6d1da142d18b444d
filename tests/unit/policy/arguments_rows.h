// Tables of command lines, one a line, for the tests of policy/arguments.h.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "policy/arguments.h"

namespace wtool::test {

using policy::ArgumentJudgement;

// Words are separated by blanks; text in single quotes is one word, and `` is a single quote in it.
inline std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\'') {
      quoted = !quoted;
      in_word = true;
    } else if (c == '`' && i + 1 < line.size() && line[i + 1] == '`') {
      word += '\'';
      ++i;
    } else if (c == ' ' && !quoted) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

inline void all_are_safe(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines) {
    const auto words = words_of(line);
    const ArgumentJudgement judgement = policy::judge_arguments(words[0], words);
    BOOST_TEST((judgement.kind == ArgumentJudgement::Kind::safe), line << ": " << judgement.reason);
  }
}

// Each row: the line, and a part of the reason.
using Refusals = std::vector<std::pair<std::string_view, std::string_view>>;

inline void all_are_unsafe(const Refusals& rows) {
  for (const auto& [line, reason] : rows) {
    const auto words = words_of(line);
    const ArgumentJudgement judgement = policy::judge_arguments(words[0], words);
    BOOST_TEST((judgement.kind == ArgumentJudgement::Kind::unsafe), line);
    BOOST_TEST((judgement.reason.find(reason) != std::string::npos), line << ": " << judgement.reason);
    BOOST_TEST(judgement.word < words.size(), line);
  }
}

}  // namespace wtool::test
