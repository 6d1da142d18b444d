#include "policy/verdict_builder.h"

#include <algorithm>
#include <utility>

#include "policy/hints.h"

namespace wtool::policy {

void VerdictBuilder::note(Decision decision, const TextPlace& place, Range at, std::string reason, std::string rule,
                          std::string hint, bool explicit_entry) {
  const bool counts =
      decision > verdict_.decision || (decision == verdict_.decision && explicit_entry && !explicit_entry_);
  if (!counts || decision == Decision::allow) return;
  explicit_entry_ = explicit_entry;
  at.end = std::min(at.end, place.line.size());
  at.begin = std::min(at.begin, at.end);
  verdict_.decision = decision;
  verdict_.reason = std::move(reason);
  verdict_.rule = std::move(rule);
  verdict_.word = std::string(place.line.substr(at.begin, at.end - at.begin));
  verdict_.at = place.outer.value_or(at);
  verdict_.hint = std::move(hint);
}

void VerdictBuilder::not_covered(const TextPlace& place, Range at, std::string reason, std::string hint) {
  const std::string rule = has_allow_list_ ? "commands.allow" : "directories.confine_arguments";
  note(rules_.ask_unlisted ? Decision::ask : Decision::deny, place, at, std::move(reason), rule, std::move(hint));
}

void VerdictBuilder::unknown(const TextPlace& place, Range at, const std::string& what) {
  if (has_allow_list_ || confined_) {
    not_covered(place, at, what + ", so the line cannot be checked before it runs", std::string(hint_for(what)));
  } else {
    const bool denies = !rules_.deny.empty();
    const char* const asks = rules_.ask.empty() ? "commands.ask_network" : "commands.ask";
    note(denies ? Decision::deny : Decision::ask, place, at, what + ", so the line may run one of the listed commands",
         denies ? "commands.deny" : asks, "write the name and the options of each command out");
  }
}

Verdict VerdictBuilder::verdict(const std::string& allowed_by) && {
  if (verdict_.decision == Decision::allow) {
    verdict_.reason = has_allow_list_ ? "every command of the line is in commands.allow"
                      : confined_     ? "every path of the line is within directories.roots"
                                      : "no deny or ask entry matches";
    // If the line has no command to which the list applies (only `set -e`), no entry has allowed it.
    const std::string by_list = allowed_by.empty() ? "commands.allow" : allowed_by;
    verdict_.rule = has_allow_list_ ? by_list : confined_ ? "directories.confine_arguments" : "commands";
  }
  verdict_.opens_network = opens_network_ && verdict_.decision == Decision::ask;
  return std::move(verdict_);
}

}  // namespace wtool::policy
