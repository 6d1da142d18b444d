// Rules, and the verdicts on lines under them.
#pragma once

#include <boost/test/unit_test.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/directories.h"
#include "policy/judge.h"

namespace wtool::test::judge_rules {

using namespace wtool::policy;

struct Rules {
  CommandRules commands;
  DirectoryRules directories;
  std::string directory = "/";

  Rules& allow(std::vector<std::string> entries) { return commands.allow = std::move(entries), *this; }
  Rules& deny(std::vector<std::string> entries) { return commands.deny = std::move(entries), *this; }
  Rules& ask(std::vector<std::string> entries) { return commands.ask = std::move(entries), *this; }
  Rules& ask_network(std::vector<std::string> entries) { return commands.ask_network = std::move(entries), *this; }
  Rules& safe() { return commands.safe_arguments = true, *this; }
  Rules& ask_unlisted() { return commands.ask_unlisted = true, *this; }

  LineJudgement judge(std::string_view line) const {
    const Programs programs(std::nullopt, "/usr/local/bin:/usr/bin:/bin", {});
    return wtool::policy::judge(line, {commands, directories, programs, canonical_roots(directories.roots), directory});
  }
  Verdict verdict(std::string_view line) const { return judge(line).verdict; }
};

inline void check(const Rules& rules, std::string_view line, Decision decision, std::string_view word,
                  std::string_view rule, std::string_view reason) {
  const Verdict verdict = rules.verdict(line);
  BOOST_TEST_CONTEXT(line << ": " << verdict.reason << " [" << verdict.rule << "] at " << verdict.at.begin << ".."
                          << verdict.at.end) {
    BOOST_TEST(to_text(verdict.decision) == to_text(decision));
    BOOST_TEST(verdict.word == word);
    BOOST_TEST(verdict.rule == rule);
    BOOST_TEST(verdict.reason.find(reason) != std::string::npos);
    if (decision != Decision::allow) BOOST_TEST(!verdict.hint.empty());
  }
}

}  // namespace wtool::test::judge_rules
