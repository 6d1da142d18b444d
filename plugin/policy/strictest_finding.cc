#include "policy/strictest_finding.h"

#include <algorithm>

namespace wtool::policy {

void StrictestFinding::note(Answer answer, const Place& place, Range at, std::string reason, std::string rule,
                            std::string hint, bool explicit_entry) {
  const bool counts = answer > verdict_.answer || (answer == verdict_.answer && explicit_entry && !explicit_entry_);
  if (!counts || answer == Answer::allow) return;
  explicit_entry_ = explicit_entry;
  at.end = std::min(at.end, place.line.size());
  at.begin = std::min(at.begin, at.end);
  verdict_.answer = answer;
  verdict_.reason = std::move(reason);
  verdict_.rule = std::move(rule);
  verdict_.word = std::string(place.line.substr(at.begin, at.end - at.begin));
  verdict_.at = place.outer.value_or(at);
  verdict_.hint = std::move(hint);
}

void StrictestFinding::not_covered(const Place& place, Range at, std::string reason, std::string hint) {
  const std::string rule = has_allow_list_ ? "commands.allow" : "directories.confine_arguments";
  note(rules_.ask_unlisted ? Answer::ask : Answer::deny, place, at, std::move(reason), rule, std::move(hint));
}

void StrictestFinding::unknown(const Place& place, Range at, const std::string& what) {
  if (has_allow_list_ || confined_) {
    not_covered(place, at, what + ", so that it cannot be judged before it runs",
                "write the words out as they are meant, in quotes where needed, or run it as a command of its own");
  } else {
    const bool denies = !rules_.deny.empty();
    note(denies ? Answer::deny : Answer::ask, place, at, what + ", so that it may be a command of the list",
         denies ? "commands.deny" : "commands.ask", "write the name and the options of each command out");
  }
}

Verdict StrictestFinding::verdict(const std::string& allowed_by) && {
  if (verdict_.answer == Answer::allow) {
    verdict_.reason = has_allow_list_ ? "every command of the line is in commands.allow"
                      : confined_     ? "every path of the line is within directories.roots"
                                      : "no entry of commands.deny or commands.ask is about it";
    // Without a command of the list (`set -e` alone) no entry has allowed it.
    const std::string by_list = allowed_by.empty() ? "commands.allow" : allowed_by;
    verdict_.rule = has_allow_list_ ? by_list : confined_ ? "directories.confine_arguments" : "commands";
  }
  return std::move(verdict_);
}

}  // namespace wtool::policy
