#include "report/text.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "journal/run_record.h"
#include "terminal/text.h"

namespace wtool::host::report {

namespace {

constexpr std::size_t max_combination = 60;  // columns

struct BranchPart {
  std::string name;
  bool combination = false;
};

BranchPart part_of(const std::string& branch, const CombinationNames& combinations) {
  if (const auto known = combinations.find(branch); known != combinations.end()) return {known->second, true};
  const std::string name(journal::branch_name(branch));
  const bool number = !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
  return {number ? "[" + name + "]" : name, number};
}

}  // namespace

std::string combination_name(const expressions::Value& values) {
  std::string name;
  if (const expressions::Map* map = values.as_map()) {
    for (const auto& [key, value] : map->fields) name += (name.empty() ? "" : ", ") + expressions::to_text(value);
  }
  return "(" + cut_to_width(cleaned_for_terminal(name, false), max_combination) + ")";
}

CombinationNames combination_names(const journal::RunRecord& run) {
  CombinationNames names;
  for (const journal::StepRecord& step : run.steps) {
    const auto& assigned = step.end.assigned;
    if (step.place.branch.empty() || assigned.size() != 1 || assigned.front().first != "matrix") continue;
    names.insert_or_assign(step.place.branch, combination_name(assigned.front().second));
  }
  return names;
}

std::string_view composite_of(std::string_view hidden) { return hidden.substr(0, hidden.find("/end")); }

std::string ending_of(const journal::StepRecord& step) {
  return runner::is_refusal(step.end.outcome) ? "was not run" : "exit code " + std::to_string(step.exit_code);
}

std::string step_label(const runner::Step& step, const CombinationNames& combinations) {
  return step_label(step.branch, step.of().id, combinations);
}

std::string step_label(const std::string& its_branch, const std::string& state, const CombinationNames& combinations) {
  if (its_branch.empty()) return cleaned_for_terminal(state, false);
  std::vector<BranchPart> parts;  // of the branches, the innermost first
  std::string branch = its_branch;
  while (const auto parent = journal::parent_of(branch)) {
    parts.push_back(part_of(branch, combinations));
    branch = parent->branch;
  }
  std::reverse(parts.begin(), parts.end());
  // The values of a combination follow the name of its own state.
  std::string values;
  if (!parts.empty() && parts.back().combination && parts.back().name.starts_with("(")) {
    values = " " + parts.back().name;
    parts.pop_back();
  }
  // A branch is named after its first state. A label does not repeat this name.
  if (!parts.empty() && parts.back().name == state) parts.pop_back();
  std::string label;
  for (const BranchPart& part : parts) label += part.name + (part.combination ? " " : " / ");
  return cleaned_for_terminal(label + state + values, false);
}

std::string markup_text(std::string_view text) {
  std::string clean = cleaned_for_terminal(text, true);
  replace_all(clean, "\xef\xbf\xbe", "?");  // U+FFFE
  replace_all(clean, "\xef\xbf\xbf", "?");  // U+FFFF
  return with_entities(clean);
}

std::string bounded_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t begin = cut_after(text, text.size() - most);
  return "[" + std::to_string(begin) + " bytes before this are left out]\n" + std::string(text.substr(begin));
}

std::string bounded_output(const std::string& text, const runner::WholeOutput& whole, std::size_t most) {
  if (!whole.cut) return bounded_text(text, most);
  std::string end = text;
  if (end.size() > most) {
    const std::string bounded = bounded_text(text, most);
    end = bounded.substr(bounded.find('\n') + 1);
  }
  return "[the output has " + std::to_string(whole.bytes) + " bytes and was cut; this is the end of it]\n" + end;
}

}  // namespace wtool::host::report
