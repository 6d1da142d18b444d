#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "expressions/value.h"
#include "workflow/check/checks.h"
#include "workflow/check/failure_rule.h"

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
  // Steps with the same lock do not run at the same time.
  if (!options.matrix || options.lock || !has_several_combinations(*options.matrix)) return;
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

// For each state, the only exit of the fork that leads to it; `several` if more than one leads to it, and `none`.
std::vector<std::size_t> branches_of(const Workflow& workflow, const State& fork, std::size_t none,
                                     std::size_t several) {
  const std::size_t around = workflow.index_of(fork.id);
  std::vector<std::size_t> branch(workflow.states.size(), none);
  for (std::size_t i = 0; i < fork.exits.size(); ++i) {
    std::vector<std::size_t> todo;
    const auto reach = [&](std::size_t state) {
      // A path that leads back to the fork begins all branches again.
      if (state == no_state || state == around || branch[state] == i || branch[state] == several) return;
      branch[state] = branch[state] == none ? i : several;
      todo.push_back(state);
    };
    reach(fork.exits[i].target);
    while (!todo.empty()) {
      const std::size_t at = todo.back();
      todo.pop_back();
      for (const Transition& exit : workflow.states[at].exits) reach(exit.target);
    }
  }
  return branch;
}

// The branches of one fork, walked once.
class Branches {
 public:
  Branches(const Workflow& workflow, const State& fork)
      : none_(fork.exits.size()), branch_(branches_of(workflow, fork, none_, none_ + 1)) {}

  // Two of these states that different branches lead to; no_state: there are no such two.
  std::pair<std::size_t, std::size_t> parallel_pair(const std::vector<std::size_t>& states) const {
    std::size_t first = no_state;
    for (const std::size_t state : states) {
      if (branch_[state] >= none_) continue;
      if (first == no_state) first = state;
      if (branch_[state] != branch_[first]) return {first, state};
    }
    return {no_state, no_state};
  }

 private:
  std::size_t none_;
  std::vector<std::size_t> branch_;
};

void check_outputs_of_branches(const Workflow& workflow, Diagnostics& diagnostics) {
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
  if (steps.empty()) return;
  for (const State& fork : workflow.states) {
    if (fork.kind != State::Kind::fork) continue;
    const Branches branches(workflow, fork);
    for (const auto& [output, states] : steps) {
      const auto [one, other] = branches.parallel_pair(states);
      if (other == no_state) continue;
      diagnostics.warn(workflow.states[other].action->options.cache.offset,
                       "'" + workflow.states[one].id + "' and '" + workflow.states[other].id +
                           "' have the same output " + quoted_for_message(output.second) +
                           ", but run at the same time, so neither of them is ever up to date; write to different " +
                           "files, or give both the same lock=\"NAME\"");
    }
  }
}

// The first state with an action that comes after `end`, before any join; no_state: no such state follows.
std::size_t follower_of(const Workflow& workflow, std::size_t end) {
  std::vector<bool> seen(workflow.states.size());
  std::deque<std::size_t> todo = {end};
  while (!todo.empty()) {
    const State& state = workflow.states[todo.front()];
    todo.pop_front();
    for (const Transition& exit : state.exits) {
      if (exit.target == no_state || seen[exit.target]) continue;
      const State& next = workflow.states[exit.target];
      if (next.kind == State::Kind::join) continue;
      if (next.action || next.action_unread) return exit.target;
      seen[exit.target] = true;
      todo.push_back(exit.target);
    }
  }
  return no_state;
}

// Finds forks whose branches come to the end of a composite state around the fork without a join, so that each branch
// by itself runs what follows the composite state.
class UnjoinedBranches {
 public:
  UnjoinedBranches(const Workflow& workflow, Diagnostics& diagnostics)
      : workflow_(workflow),
        states_(workflow.states),
        diagnostics_(diagnostics),
        branches_(states_.size()),
        last_walk_(states_.size()) {}

  void run() {
    for (const State& fork : states_) {
      if (fork.kind == State::Kind::fork && fork.around != no_state) check(fork);
    }
  }

 private:
  void check(const State& fork) {
    std::size_t depth = 0;
    // The end of several regions is a join.
    for (std::size_t end = fork.around; end != no_state && depth++ < max_depth && !is_join(end);
         end = states_[end].around) {
      count_branches(fork, end);
      for (const std::size_t state : reached_) {
        if (is_join(state) && branches_[state] == fork.exits.size()) return;
      }
      const std::size_t next = branches_[end] > 1 ? follower_of(workflow_, end) : no_state;
      if (next != no_state) return tell(fork, end, next);
    }
  }

  bool is_join(std::size_t state) const { return states_[state].kind == State::Kind::join; }

  // Counts for each state the exits of the fork that lead to it without passing `end`.
  void count_branches(const State& fork, std::size_t end) {
    for (const std::size_t state : reached_) branches_[state] = 0;
    reached_.clear();
    std::vector<std::size_t> todo;
    const auto reach = [&](std::size_t state) {
      // A path that leads back to the fork begins all branches again.
      if (state == no_state || &states_[state] == &fork || last_walk_[state] == walk_) return;
      last_walk_[state] = walk_;
      if (branches_[state]++ == 0) reached_.push_back(state);
      if (state != end) todo.push_back(state);
    };
    for (const Transition& branch : fork.exits) {
      ++walk_;
      reach(branch.target);
      while (!todo.empty()) {
        const std::size_t at = todo.back();
        todo.pop_back();
        for (const Transition& exit : states_[at].exits) reach(exit.target);
      }
    }
  }

  void tell(const State& fork, std::size_t end, std::size_t next) {
    const bool has_regions = fork.other_half != no_state;
    const std::string name = "'" + fork.id + "'";
    const std::string around = "'" + shown_name(workflow_, end) + "'";
    diagnostics_.add(
        fork.offset,
        std::string("several ") + (has_regions ? "regions" : "branches") + " of " + name +
            " come to the end of the composite state " + around + " without a join, so '" + states_[next].id +
            "', which follows, would run once for each of them, at the same time; " +
            (has_regions ? "lead the regions to the end [*] of " + name + ", and " + name + " to the end of " + around
                         : "add a line `state J <<join>>` inside of " + around +
                               ", lead the branches to it, and add a line `J --> [*]`"));
  }

  static constexpr std::size_t max_depth = 50;

  const Workflow& workflow_;
  const std::vector<State>& states_;
  Diagnostics& diagnostics_;
  std::vector<std::size_t> branches_;   // by state: how many exits of the fork lead to it
  std::vector<std::size_t> last_walk_;  // by state: the last walk that came to it
  std::vector<std::size_t> reached_;    // the states that any exit of the fork leads to
  std::size_t walk_ = 0;
};

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
  for (const State& fork : workflow.states) {
    if (fork.kind != State::Kind::fork) continue;
    const auto [one, other] = Branches(workflow, fork).parallel_pair(prompts);
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
  UnjoinedBranches(workflow, diagnostics).run();
  check_outputs_of_branches(workflow, diagnostics);
  check_budget(workflow, diagnostics);
}

}  // namespace wtool::host::workflow
