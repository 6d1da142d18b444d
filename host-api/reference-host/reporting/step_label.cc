#include "reporting/step_label.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "reporting/display.h"
#include "reporting/step_place.h"

namespace wtool::host::workflow {

std::string step_label(const Step& step) {
  const std::string& state = step.of().id;
  if (step.branch.empty()) return cleaned_for_terminal(state, false);
  std::vector<std::string> names;  // of the branches, the innermost first
  std::string branch = step.branch;
  while (const auto parent = parent_of(branch)) {
    names.emplace_back(branch_name(branch));
    branch = parent->branch;
  }
  std::reverse(names.begin(), names.end());
  // A path is called by its first state, which needs not be said twice.
  if (!names.empty() && names.back() == state) names.pop_back();
  std::string label;
  for (const std::string& name : names) {
    const bool combination = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
    label += combination ? "[" + name + "] " : name + " / ";
  }
  return cleaned_for_terminal(label + state, false);
}

}  // namespace wtool::host::workflow
