// Collects the findings in a line into one verdict.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "policy/rules.h"
#include "policy/verdict.h"

namespace wtool::policy {

// The text to which ranges refer.
struct TextPlace {
  std::string_view line;
  std::optional<Range> outer;  // if `line` is a word of another text: the range of this word in the whole line
};

// Collects findings; the strictest decides. Of equally strict findings the first one decides, but a finding from an
// entry that a person has written takes precedence.
class VerdictBuilder {
 public:
  // `rules` must outlive this object.
  VerdictBuilder(const CommandRules& rules, bool has_allow_list, bool confined)
      : rules_(rules), has_allow_list_(has_allow_list), confined_(confined) {}

  void note(Decision decision, const TextPlace& place, Range at, std::string reason, std::string rule, std::string hint,
            bool explicit_entry = false);

  // Reports something that the allow list, or the roots, do not cover.
  void not_covered(const TextPlace& place, Range at, std::string reason, std::string hint);

  // Notes that, if the verdict is ask, a person's yes opens the network.
  void opens_network() { opens_network_ = true; }

  // Reports something that is known only when the line runs. `what` is a clause.
  void unknown(const TextPlace& place, Range at, const std::string& what);

  // `allowed_by`: the entry of the allow list that allows the line if nothing was found.
  Verdict verdict(const std::string& allowed_by) &&;

 private:
  const CommandRules& rules_;
  const bool has_allow_list_;
  const bool confined_;
  Verdict verdict_;
  bool explicit_entry_ = false;
  bool opens_network_ = false;
};

}  // namespace wtool::policy
