#include <deque>
#include <string>
#include <vector>

#include "workflow/check/checks.h"
#include "workflow/check/failure_rule.h"
#include "workflow/check/fork_branches.h"
#include "workflow/model/forks.h"

namespace wtool::host::workflow {
namespace {

class ForkChecker {
 public:
  ForkChecker(const Workflow& workflow, Diagnostics& diagnostics)
      : workflow_(workflow), states_(workflow.states), diagnostics_(diagnostics), joins_(states_.size(), no_state) {}

  void run() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (is_fork(i)) joins_[i] = join_of(workflow_, states_[i]);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!is_fork(i)) continue;
      // One finding often explains the others.
      if (!passes_an_end(i) && !comes_to_another_join(i)) comes_to_one_state(i);
    }
  }

 private:
  bool is_fork(std::size_t state) const { return states_[state].kind == State::Kind::fork; }
  bool is_join(std::size_t state) const { return states_[state].kind == State::Kind::join; }
  bool acts(std::size_t state) const { return states_[state].action || states_[state].action_unread; }

  // Reports branches that come to the end of a composite state around the fork without its join, so that each of them
  // runs by itself what follows the composite state.
  bool passes_an_end(std::size_t fork) {
    const std::size_t join = joins_[fork];
    // The end of several regions is a join.
    for (std::size_t end = states_[fork].around; end != no_state && !is_join(end); end = states_[end].around) {
      const ForkBranches branches(workflow_, states_[fork], {end, join});
      const bool is_inside = join != no_state && branches.count(join) > 0;
      const std::size_t alone = branches.count(end);
      if (alone + (is_inside && leads_to(join, end) ? 1 : 0) > 1) {
        const std::size_t next = follower_of(end);
        if (next != no_state) alone > 1 ? tell_of_end(fork, end, next) : tell_of_way_around(fork, end, next);
        return next != no_state;
      }
      if (is_inside) return false;
    }
    return false;
  }

  // Reports a join that does not wait for the branches of the fork which come to it, because they meet elsewhere.
  bool comes_to_another_join(std::size_t fork) {
    const std::size_t join = joins_[fork];
    const ForkBranches branches(workflow_, states_[fork], {join});
    for (const std::size_t other : branches.reached()) {
      if (!is_join(other) || states_[other].hidden || other == join || branches.count(other) < 2) continue;
      // Branches may come to it by a fork of their own, for which it waits.
      if (ForkBranches(workflow_, states_[fork], forks_that_meet_at(other, join)).count(other) == 0) continue;
      const std::size_t next = acts(other) ? other : follower_of(other);
      if (next == no_state) continue;
      const std::string its = "'" + states_[other].id + "'";
      diagnostics_.add(states_[other].offset,
                       (join == no_state ? "not all branches of '" + states_[fork].id + "' lead to the join " + its
                                         : "the branches of '" + states_[fork].id + "' meet at the join '" +
                                               shown_name(workflow_, join) + "', so the join " + its) +
                           (join == no_state ? ", so it" : "") + " does not wait for them, and '" + states_[next].id +
                           "' would run once for each branch that comes to " + its +
                           "; give the branches that meet there a fork of their own");
      return true;
    }
    return false;
  }

  // Reports a step to which several branches come, each by itself, although nothing has failed.
  void comes_to_one_state(std::size_t fork) {
    const ForkBranches branches(workflow_, states_[fork], {joins_[fork]}, ForkBranches::Follow::after_success);
    for (const std::size_t state : branches.reached()) {
      if (state == joins_[fork] || branches.count(state) < 2 || !acts(state)) continue;
      const bool has_regions = states_[fork].other_half != no_state;
      diagnostics_.warn(states_[state].offset,
                        std::string("several ") + (has_regions ? "regions" : "branches") + " of '" + states_[fork].id +
                            "' lead to '" + states_[state].id +
                            "' before they meet, so it runs once for each of them, at the same time; to run it once, " +
                            (has_regions ? "put it behind '" + states_[fork].id + "'"
                                         : std::string("lead the branches to a <<join>> before it")));
      return;
    }
  }

  // The first state with an action that comes after `state`, before any join; no_state: no such state follows.
  std::size_t follower_of(std::size_t state) const {
    std::vector<bool> seen(states_.size());
    std::deque<std::size_t> todo = {state};
    while (!todo.empty()) {
      const State& at = states_[todo.front()];
      todo.pop_front();
      for (const Transition& exit : at.exits) {
        if (exit.target == no_state || seen[exit.target] || is_join(exit.target)) continue;
        if (acts(exit.target)) return exit.target;
        seen[exit.target] = true;
        todo.push_back(exit.target);
      }
    }
    return no_state;
  }

  bool leads_to(std::size_t from, std::size_t to) const {
    std::vector<bool> seen(states_.size());
    std::vector<std::size_t> todo = {from};
    while (!todo.empty()) {
      const std::size_t at = todo.back();
      todo.pop_back();
      for (const Transition& exit : states_[at].exits) {
        if (exit.target == to) return true;
        if (exit.target == no_state || seen[exit.target]) continue;
        seen[exit.target] = true;
        todo.push_back(exit.target);
      }
    }
    return false;
  }

  // `also`, and the forks whose branches meet at this join.
  std::vector<std::size_t> forks_that_meet_at(std::size_t join, std::size_t also) const {
    std::vector<std::size_t> forks = {also};
    for (std::size_t i = 0; i < joins_.size(); ++i) {
      if (joins_[i] == join) forks.push_back(i);
    }
    return forks;
  }

  void tell_of_end(std::size_t fork, std::size_t end, std::size_t next) {
    const bool has_regions = states_[fork].other_half != no_state;
    const std::string name = "'" + states_[fork].id + "'";
    const std::string around = "'" + shown_name(workflow_, end) + "'";
    diagnostics_.add(
        states_[fork].offset,
        std::string("several ") + (has_regions ? "regions" : "branches") + " of " + name +
            " come to the end of the composite state " + around + " without a join, so '" + states_[next].id +
            "', which follows, would run once for each of them, at the same time; " +
            (has_regions ? "lead the regions to the end [*] of " + name + ", and " + name + " to the end of " + around
                         : "add a line `state J <<join>>` inside of " + around +
                               ", lead the branches to it, and add a line `J --> [*]`"));
  }

  void tell_of_way_around(std::size_t fork, std::size_t end, std::size_t next) {
    const std::string join = "'" + shown_name(workflow_, joins_[fork]) + "'";
    diagnostics_.add(states_[fork].offset,
                     "a branch of '" + states_[fork].id + "' comes to the end of the composite state '" +
                         shown_name(workflow_, end) + "' without the join " + join + ", so '" + states_[next].id +
                         "', which follows, would run for that branch and again after the join; lead the branch to " +
                         join);
  }

  const Workflow& workflow_;
  const std::vector<State>& states_;
  Diagnostics& diagnostics_;
  std::vector<std::size_t> joins_;  // by state: for a fork, its join
};

}  // namespace

void check_forks(const Workflow& workflow, Diagnostics& diagnostics) {
  if (!workflow.diagram_unread) ForkChecker(workflow, diagnostics).run();
}

}  // namespace wtool::host::workflow
