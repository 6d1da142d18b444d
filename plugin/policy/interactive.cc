#include "policy/interactive.h"

#include <string>
#include <variant>
#include <vector>

#include "policy/entries.h"
#include "policy/name_list.h"
#include "policy/operators.h"

namespace wtool::policy {

Verdict judge_interactive(std::string_view line, const CommandRules& rules, const Programs& programs) {
  Verdict verdict;
  verdict.rule = "commands.interactive";
  const NameList listed(rules.interactive);
  const std::string may_be = rules.interactive.empty() ? "commands.interactive lists no program"
                                                       : "commands.interactive lists: " + listed.shown();
  const auto deny = [&](std::string reason, std::string hint) {
    verdict.decision = Decision::deny;
    verdict.reason = std::move(reason);
    verdict.hint = std::move(hint);
    return verdict;
  };
  const auto read = only_words(line);
  if (const auto* construct = std::get_if<Construct>(&read)) {
    verdict.word = line.substr(construct->at.begin, construct->at.end - construct->at.begin);
    verdict.at = construct->at;
    return deny(
        "what is typed into a program cannot be judged, so the line must be one program with its arguments, but it "
        "has " +
            construct->what,
        "give one program of commands.interactive, and its arguments; " + may_be);
  }
  const auto& words = std::get<std::vector<std::string>>(read);
  if (words.empty()) return deny("there is no program in the line", "give a program and its arguments");
  if (listed.allows(words.front(), programs)) return verdict;
  return deny(
      "what is typed into " + in_quotes(words.front()) + " cannot be judged, and commands.interactive does not list it",
      "the person who maintains the configuration can list it: commands: {interactive: [" + words.front() + "]}; " +
          may_be);
}

}  // namespace wtool::policy
