// Fuzzes policy/judge.h, and with it the database of programs. The input is a command line. Whatever the bytes are, it
// is judged, quickly, by an allow list with safe arguments, by a deny list and by confinement; the verdict points into
// the line; what is allowed under a list has no obstacle when the line that runs is read again; and a line that names
// a denied program in its first command is never allowed.
// One input in: 300
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "fuzz/require.h"
#include "policy/judge.h"
#include "policy/words.h"

namespace {

using namespace wtool::policy;

using wtool::test::require;

LineJudgement check(std::string_view line, const CommandRules& commands, const DirectoryRules& directories,
                    const Programs& programs) {
  Situation situation{commands, directories, programs, directories.roots, "/usr/share"};
  situation.expands = false;
  LineJudgement judgement = judge(line, situation);
  const Verdict& verdict = judgement.verdict;
  require(!verdict.reason.empty());
  require(verdict.at.begin <= verdict.at.end && verdict.at.end <= line.size());
  require(verdict.decision == Decision::allow || !verdict.rule.empty());
  if (judgement.script && verdict.decision == Decision::allow) require(!parse(regenerate(*judgement.script)).obstacle);
  return judgement;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  static const Programs programs(std::nullopt, "/usr/bin:/bin", {});
  static const CommandRules safe = [] {
    CommandRules rules;
    rules.allow = {"ls", "cat", "grep", "find", "git", "sed", "awk", "sort", "xargs", "env", "tar", "make", "head"};
    rules.safe_arguments = true;
    return rules;
  }();
  static const CommandRules denies = [] {
    CommandRules rules;
    rules.deny = {"rm", "git push"};
    rules.ask_network = {"curl"};
    return rules;
  }();
  static const DirectoryRules anywhere, confined{.roots = {"/usr/share"}, .confine_arguments = true};
  check(line, safe, anywhere, programs);
  check(line, CommandRules{}, confined, programs);
  const LineJudgement judgement = check(line, denies, anywhere, programs);
  const Script script = parse(line);
  if (script.error || script.commands.empty() || script.commands.front().words.empty()) return 0;
  const Word& first = script.commands.front().words.front();
  if (first.literal && first.text == "rm") require(judgement.verdict.decision == Decision::deny);
  return 0;
}
