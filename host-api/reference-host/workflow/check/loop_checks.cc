#include <algorithm>
#include <set>

#include "workflow/actions/action_type.h"
#include "workflow/check/checks.h"
#include "workflow/model/edges.h"

namespace wtool::host::workflow {
namespace {

// Finds the loops of a diagram: the largest sets of states that all lead to one another (strongly connected
// components). States with `max` are left out, because every loop through one of them ends, and so are states that ask
// a person, who can end the loop.
class LoopFinder {
 public:
  explicit LoopFinder(const Workflow& workflow)
      : workflow_(workflow),
        targets_(edges_of(workflow)),
        order_(workflow.states.size()),
        lowest_(workflow.states.size()),
        open_(workflow.states.size()) {
    for (std::size_t i = 0; i < workflow.states.size(); ++i) {
      if (is_bounded(i)) {
        targets_[i].clear();
      } else {
        std::erase_if(targets_[i], [this](std::size_t target) { return is_bounded(target); });
      }
    }
  }

  std::vector<std::vector<std::size_t>> find() {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (order_[i] == 0 && !is_bounded(i)) walk(i);
    }
    return std::move(loops_);
  }

 private:
  struct Visit {
    std::size_t state;
    std::size_t next = 0;  // the index of the target to visit next
  };

  bool is_bounded(std::size_t state) const {
    const auto& action = workflow_.states[state].action;
    return action && (action->options.max_visits || std::holds_alternative<ApproveAction>(action->kind) ||
                      std::holds_alternative<ConfirmAction>(action->kind));
  }

  // Tarjan's algorithm, without recursion: a diagram may have thousands of states in a row.
  void walk(std::size_t root) {
    std::vector<Visit> path;
    const auto enter = [&](std::size_t state) {
      order_[state] = lowest_[state] = ++count_;
      stack_.push_back(state);
      open_[state] = true;
      path.push_back({state});
    };
    enter(root);
    while (!path.empty()) {
      Visit& visit = path.back();
      if (visit.next < targets_[visit.state].size()) {
        const std::size_t target = targets_[visit.state][visit.next++];
        if (order_[target] == 0) {
          enter(target);
        } else if (open_[target]) {
          lowest_[visit.state] = std::min(lowest_[visit.state], order_[target]);
        }
        continue;
      }
      const std::size_t done = visit.state;
      path.pop_back();
      if (!path.empty()) lowest_[path.back().state] = std::min(lowest_[path.back().state], lowest_[done]);
      if (lowest_[done] == order_[done]) collect(done);
    }
  }

  void collect(std::size_t root) {
    std::vector<std::size_t> loop;
    do {
      loop.push_back(stack_.back());
      open_[stack_.back()] = false;
      stack_.pop_back();
    } while (loop.back() != root);
    const auto& targets = targets_[root];
    if (loop.size() == 1 && std::find(targets.begin(), targets.end(), root) == targets.end()) return;
    std::sort(loop.begin(), loop.end());
    loops_.push_back(std::move(loop));
  }

  const Workflow& workflow_;
  StateEdges targets_;
  std::vector<std::size_t> order_;   // the order in which states were first visited, from 1; 0: not visited
  std::vector<std::size_t> lowest_;  // for each state: the lowest order of a state to which it leads back
  std::vector<bool> open_;           // on stack_
  std::vector<std::size_t> stack_;
  std::size_t count_ = 0;
  std::vector<std::vector<std::size_t>> loops_;
};

// Whether a condition in the loop reads the budget, or a variable that a Set in the loop computes.
bool counts_its_rounds(const Workflow& workflow, const std::vector<std::size_t>& loop) {
  std::set<std::string> counted = {"budget"};
  for (const std::size_t i : loop) {
    const auto& action = workflow.states[i].action;
    const auto* set = action ? std::get_if<SetAction>(&action->kind) : nullptr;
    if (set == nullptr) continue;
    for (const Assignment& one : set->assignments) {
      if (std::holds_alternative<TemplateText>(one.value)) counted.insert(one.name);
    }
  }
  return std::any_of(loop.begin(), loop.end(), [&](std::size_t i) {
    const auto& exits = workflow.states[i].exits;
    return std::any_of(exits.begin(), exits.end(), [&](const Transition& exit) {
      const auto& names = exit.condition.names;
      return std::any_of(names.begin(), names.end(),
                         [&](const expressions::NameUse& use) { return counted.contains(use.name); });
    });
  });
}

bool has_way_out(const Workflow& workflow, const std::vector<std::size_t>& loop) {
  return std::any_of(loop.begin(), loop.end(), [&](std::size_t i) {
    const State& state = workflow.states[i];
    const bool leaves = std::any_of(state.exits.begin(), state.exits.end(), [&](const Transition& exit) {
      return !std::binary_search(loop.begin(), loop.end(), exit.target);
    });
    const std::size_t handler = state.action ? workflow.index_of(state.action->options.on_failure.name) : no_state;
    return leaves || (handler != no_state && !std::binary_search(loop.begin(), loop.end(), handler));
  });
}

}  // namespace

void check_loops(const Workflow& workflow, Diagnostics& diagnostics) {
  if (workflow.max_steps || workflow.diagram_unread) return;
  for (const std::vector<std::size_t>& loop : LoopFinder(workflow).find()) {
    if (counts_its_rounds(workflow, loop)) continue;
    const auto first_with = [&](const auto& is_such) {
      const auto found = std::find_if(loop.begin(), loop.end(), [&](std::size_t i) {
        const auto& action = workflow.states[i].action;
        return action && is_such(action->kind);
      });
      return found == loop.end() ? nullptr : &workflow.states[*found];
    };
    const State* const asks =
        first_with([](const ActionKind& kind) { return std::holds_alternative<PromptAction>(kind); });
    const State* const runs =
        first_with([](const ActionKind& kind) { return std::holds_alternative<WorkflowAction>(kind); });
    // A workflow that is run may have prompts, which use the budget.
    if (workflow.budget.any() && (asks != nullptr || runs != nullptr)) continue;
    // If nothing is called, each round is like the one before. If the loop has no way out, that is an error already.
    const State* const calls = first_with([](const ActionKind& kind) { return type_of(kind).calls_something; });
    if (calls == nullptr || (asks == nullptr && !has_way_out(workflow, loop))) continue;
    const State& named = asks != nullptr ? *asks : *calls;
    diagnostics.warn(named.action->offset, "the loop through '" + named.id +
                                               "' has no bound except the run's own limit of " +
                                               std::to_string(default_max_steps) + " states" +
                                               (asks != nullptr ? ", and asks an agent in each round" : "") +
                                               "; give one of its states max=N, or the front matter " +
                                               (asks != nullptr ? "`budget: {calls: N}` or " : "") + "`max_steps`");
  }
}

}  // namespace wtool::host::workflow
