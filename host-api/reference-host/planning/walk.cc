#include "planning/plan.h"

#include <deque>

#include "workflow/check/failure_rule.h"

namespace wtool::host::planning {
namespace {

using workflow::no_state;
using workflow::State;
using workflow::Transition;
using workflow::Workflow;

// Forks that are nested deeper than this are walked as if they were plain states.
constexpr std::size_t max_fork_depth = 50;

class Walker {
 public:
  explicit Walker(const Workflow& workflow) : workflow_(workflow), seen_(workflow.states.size(), false) {}

  std::vector<WalkedState> run() {
    follow({workflow_.start}, {}, nullptr);
    // Follows the states to which only a failure inside a composite state leads. `made_` grows during this loop.
    for (std::size_t i = 0; i < made_.size(); ++i) {
      const State& state = workflow_.states[made_[i].state];
      if (can_fail(state) && !state.ends_part && state.around != no_state) {
        follow({state.around}, {}, nullptr);
      }
    }
    part_ = PlanPart::on_failure;
    std::vector<std::size_t> handlers;
    for (std::size_t i = 0; i < made_.size(); ++i) {
      const auto& action = workflow_.states[made_[i].state].action;
      if (action) handlers.push_back(workflow_.index_of(action->options.on_failure.name));
    }
    handlers.push_back(workflow_.index_of(workflow_.on_failure.name));
    follow(handlers, {}, nullptr);
    part_ = PlanPart::finally;
    follow({workflow_.index_of(workflow_.finally.name)}, {}, nullptr);
    return std::move(made_);
  }

 private:
  // Walks all paths that begin at one of `starts`. With `joins`, walks one branch of a fork: it stops at each join
  // (except those of forks inside the branch), and adds it to `joins`.
  void follow(const std::vector<std::size_t>& starts, const std::vector<std::string>& branches,
              std::vector<std::size_t>* joins) {
    struct Next {
      std::size_t state;
      bool joined;  // a join whose branches have all been walked
    };
    std::deque<Next> next;
    for (const std::size_t start : starts) next.push_back({start, false});
    while (!next.empty()) {
      const auto [at, joined] = next.front();
      next.pop_front();
      if (at == no_state || seen_[at]) continue;
      const State& state = workflow_.states[at];
      if (joins != nullptr && state.kind == State::Kind::join && !joined) {
        joins->push_back(at);
        continue;
      }
      seen_[at] = true;
      if (!state.hidden) made_.push_back({at, part_, branches});
      if (state.kind == State::Kind::fork && branches.size() < max_fork_depth) {
        std::vector<std::size_t> met;
        for (const Transition& exit : state.exits) {
          if (exit.target == no_state) continue;
          std::vector<std::string> inner = branches;
          inner.push_back(workflow_.states[exit.target].id);
          follow({exit.target}, inner, &met);
        }
        for (const std::size_t join : met) next.push_back({join, true});
        continue;
      }
      for (const Transition& exit : state.exits) next.push_back({exit.target, false});
    }
  }

  const Workflow& workflow_;
  std::vector<bool> seen_;
  std::vector<WalkedState> made_;
  PlanPart part_ = PlanPart::main;
};

}  // namespace

std::vector<WalkedState> walk_states(const Workflow& workflow) { return Walker(workflow).run(); }

}  // namespace wtool::host::planning
