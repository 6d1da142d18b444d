#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cache/patterns.h"
#include "expressions/value.h"
#include "workflow/check/checks.h"
#include "workflow/check/fork_branches.h"

namespace wtool::host::workflow {
namespace {

using expressions::quoted_for_message;

bool is_open(std::string_view text) {
  return text.find("${") != std::string_view::npos || text.find("{{") != std::string_view::npos;
}

std::string directory_of(const Action& action) {
  const auto* shell = std::get_if<ShellAction>(&action.kind);
  return shell == nullptr || !shell->working_directory ? "" : std::string(shell->working_directory->written.text());
}

bool has_several_combinations(const nlohmann::json& matrix) {
  return std::any_of(matrix.begin(), matrix.end(),
                     [](const nlohmann::json& list) { return !list.is_array() || list.size() > 1; });
}

void check_outputs_of_matrix(const Action& action, Diagnostics& diagnostics) {
  const ActionOptions& options = action.options;
  if (!options.matrix || !has_several_combinations(*options.matrix)) return;
  if (directory_of(action).find("matrix") != std::string::npos) return;
  for (const auto& entry : *options.cache.outputs) {
    const auto& output = entry.get_ref<const std::string&>();
    if (output.find("matrix") != std::string::npos) continue;
    diagnostics.warn(options.cache.offset,
                     "all combinations of the matrix have the output " + quoted_for_message(output) +
                         ", so none of them is ever up to date; use a value of the matrix in it, such as ${matrix." +
                         (options.matrix->empty() ? "NAME" : options.matrix->begin().key()) + "}");
    return;
  }
}

// Returns the pairs of steps that it has reported.
std::set<std::pair<std::size_t, std::size_t>> check_outputs_of_branches(const Workflow& workflow,
                                                                        Diagnostics& diagnostics) {
  std::set<std::pair<std::size_t, std::size_t>> reported;
  // The steps that have the same output, by the directory and the output.
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> steps;
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    const auto& action = workflow.states[i].action;
    if (!action || !action->options.cache.outputs || action->options.lock) continue;
    for (const auto& entry : *action->options.cache.outputs) {
      const auto& output = entry.get_ref<const std::string&>();
      if (!is_open(output)) steps[{directory_of(*action), output}].push_back(i);
    }
  }
  std::erase_if(steps, [](const auto& same) { return same.second.size() < 2; });
  if (steps.empty()) return reported;
  const BranchEdges edges(workflow);
  for (const State& fork : workflow.states) {
    if (fork.kind != State::Kind::fork) continue;
    const ForkBranches branches(edges, fork, {});
    for (const auto& [output, states] : steps) {
      const auto [one, other] = branches.parallel_pair(states);
      if (other == no_state) continue;
      reported.insert(std::minmax(one, other));
      diagnostics.warn(workflow.states[other].action->options.cache.offset,
                       "'" + workflow.states[one].id + "' and '" + workflow.states[other].id +
                           "' have the same output " + quoted_for_message(output.second) +
                           ", but run at the same time, so neither of them is ever up to date; write to different " +
                           "files");
    }
  }
  return reported;
}

// Two states with the same action do the same work, and find the same result.
bool is_same_work(const Action& one, const Action& other) {
  const auto* const shell = std::get_if<ShellAction>(&one.kind);
  const auto* const other_shell = std::get_if<ShellAction>(&other.kind);
  if (shell == nullptr || other_shell == nullptr) return false;
  const CacheOptions& cache = one.options.cache;
  const CacheOptions& other_cache = other.options.cache;
  return shell->command.written.text() == other_shell->command.written.text() &&
         *cache.outputs == *other_cache.outputs && !cache.inputs == !other_cache.inputs &&
         (!cache.inputs || *cache.inputs == *other_cache.inputs);
}

// An output of the one step and an output of the other that may name the same file. Both are empty if there is no such
// pair, or if the names are not known yet.
std::pair<std::string, std::string> shared_outputs(const Action& one, const Action& other) {
  const std::string directory = directory_of(one), other_directory = directory_of(other);
  const bool is_same = directory == other_directory;
  if (!is_same && (is_open(directory) || is_open(other_directory))) return {};
  for (const auto& entry : *one.options.cache.outputs) {
    const auto& output = entry.get_ref<const std::string&>();
    for (const auto& other_entry : *other.options.cache.outputs) {
      const auto& other_output = other_entry.get_ref<const std::string&>();
      if (is_open(output) || is_open(other_output)) continue;
      if (is_same ? cache::may_name_one_file(output, other_output)
                  : cache::may_name_one_file(directory + "/" + output, other_directory + "/" + other_output)) {
        return {output, other_output};
      }
    }
  }
  return {};
}

void check_outputs_of_steps(const Workflow& workflow, const std::set<std::pair<std::size_t, std::size_t>>& known,
                            Diagnostics& diagnostics) {
  constexpr std::size_t most_pairs = 200'000;  // so that a very large workflow is checked in time
  std::vector<std::size_t> steps;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    const auto& action = workflow.states[i].action;
    if (!action || !action->options.cache.outputs) continue;
    for (const std::size_t earlier : steps) {
      const Action& before = *workflow.states[earlier].action;
      if (++pairs > most_pairs) return;
      if (!before.options.cache.is_on() && !action->options.cache.is_on()) continue;
      if (known.contains({earlier, i}) || is_same_work(before, *action)) continue;
      const auto [one, other] = shared_outputs(before, *action);
      if (one.empty()) continue;
      diagnostics.warn(action->options.cache.offset,
                       "'" + workflow.states[earlier].id + "' and '" + workflow.states[i].id +
                           "' may write the same file (outputs " + quoted_for_message(one) + " and " +
                           quoted_for_message(other) +
                           "), so each of them runs again after the other one has changed it; name only the files " +
                           "that each of them makes itself");
      break;
    }
    steps.push_back(i);
  }
}

// A prompt begins if something of the budget is left, and what other prompts that run already will use is not known.
void check_budget(const Workflow& workflow, Diagnostics& diagnostics) {
  const PromptBudget& budget = workflow.budget;
  if (!budget.tokens && !budget.cost && !budget.time) return;
  const std::string what = budget.tokens ? "tokens" : budget.cost ? "cost" : "time";
  const auto warn = [&](const std::string& who) {
    diagnostics.warn(budget.offset, who +
                                        " run at the same time, and what a call uses is only known at its end, so "
                                        "together they may use more than the budget of " +
                                        what + (budget.calls ? "; to prevent this, " : "; limit `calls`, too, or ") +
                                        "give them the same lock=\"NAME\"");
  };
  std::vector<std::size_t> prompts;
  for (std::size_t i = 0; i < workflow.states.size(); ++i) {
    const auto& action = workflow.states[i].action;
    if (!action || action->options.lock || !std::holds_alternative<PromptAction>(action->kind)) continue;
    if (action->options.matrix && has_several_combinations(*action->options.matrix)) {
      return warn("the combinations of the prompt '" + workflow.states[i].id + "'");
    }
    prompts.push_back(i);
  }
  if (prompts.size() < 2) return;
  const BranchEdges edges(workflow);
  for (const State& fork : workflow.states) {
    if (fork.kind != State::Kind::fork) continue;
    const auto [one, other] = ForkBranches(edges, fork, {}).parallel_pair(prompts);
    if (other == no_state) continue;
    return warn("the prompts '" + workflow.states[one].id + "' and '" + workflow.states[other].id + "'");
  }
}

}  // namespace

void check_parallel_steps(const Workflow& workflow, Diagnostics& diagnostics) {
  for (const State& state : workflow.states) {
    if (state.action && state.action->options.cache.outputs) check_outputs_of_matrix(*state.action, diagnostics);
  }
  if (workflow.diagram_unread) return;
  check_outputs_of_steps(workflow, check_outputs_of_branches(workflow, diagnostics), diagnostics);
  check_budget(workflow, diagnostics);
}

}  // namespace wtool::host::workflow
