// What has been found about a line so far: the strictest finding, with the place it is about.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/rules.h"
#include "policy/verdict.h"

namespace wtool::policy {

// The text that ranges are of.
struct Place {
  std::string_view line;
  std::optional<Range> outer;  // where that text is a word of another: that word's place in the whole
};

// Of findings of the same strictness the first counts; but an entry that a person has written is worth more than
// whatever else was found.
class StrictestFinding {
 public:
  // `rules` are borrowed.
  StrictestFinding(const CommandRules& rules, bool has_allow_list, bool confined)
      : rules_(rules), has_allow_list_(has_allow_list), confined_(confined) {}

  void note(Answer answer, const Place& place, Range at, std::string reason, std::string rule, std::string hint,
            bool explicit_entry = false);

  // What the allow list, or the roots, do not cover.
  void not_covered(const Place& place, Range at, std::string reason, std::string hint);

  // What can only be known when it runs. `what` is a clause.
  void unknown(const Place& place, Range at, const std::string& what);

  // `allowed_by`: the entry of the allow list by which the line is allowed, where nothing was found.
  Verdict verdict(const std::string& allowed_by) &&;

 private:
  const CommandRules& rules_;
  const bool has_allow_list_;
  const bool confined_;
  Verdict verdict_;
  bool explicit_entry_ = false;
};

}  // namespace wtool::policy
