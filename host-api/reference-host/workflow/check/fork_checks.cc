#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "workflow/actions/action_type.h"
#include "workflow/check/checks.h"
#include "workflow/check/failure_rule.h"
#include "workflow/check/fork_branches.h"
#include "workflow/model/edges.h"
#include "workflow/model/forks.h"

namespace wtool::host::workflow {
namespace {

class ForkChecker {
 public:
  ForkChecker(const Workflow& workflow, Diagnostics& diagnostics)
      : workflow_(workflow),
        states_(workflow.states),
        diagnostics_(diagnostics),
        edges_(workflow),
        joins_(states_.size(), no_state) {}

  void run() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (is_fork(i)) joins_[i] = join_of(workflow_, states_[i]);
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!is_fork(i)) continue;
      // One finding often explains the others.
      if (passes_an_end(i)) continue;
      const ForkBranches branches(edges_, states_[i], {joins_[i]});
      if (!comes_to_another_join(i, branches) && !goes_around_its_join(i, branches)) comes_to_one_state(i);
    }
  }

 private:
  bool is_fork(std::size_t state) const { return states_[state].kind == State::Kind::fork; }
  bool is_join(std::size_t state) const { return states_[state].kind == State::Kind::join; }
  bool aborts(std::size_t state) const { return ends_run(states_[state]); }
  // An Abort ends the whole run, so it does not matter how many branches come to it.
  bool acts(std::size_t state) const {
    return (states_[state].action && !aborts(state)) || states_[state].action_unread;
  }
  // Whether it matters that the step runs twice. It does not for Log, Set and the like.
  bool works(std::size_t state) const {
    const auto& action = states_[state].action;
    return states_[state].action_unread || (action && !aborts(state) && type_of(action->kind).calls_something);
  }

  // Reports branches that come to the end of a composite state around the fork without its join, so that each of them
  // runs by itself what follows the composite state.
  bool passes_an_end(std::size_t fork) {
    const std::size_t join = joins_[fork];
    // The end of several regions is a join.
    for (std::size_t end = states_[fork].around; end != no_state && !is_join(end); end = states_[end].around) {
      const ForkBranches branches(edges_, states_[fork], {end, join});
      const std::size_t alone = branches.count(end);
      const bool joined = join != no_state && branches.count(join) > 0 && leads_to(join, end, fork);
      if (alone + (joined ? 1 : 0) < 2) continue;
      const std::size_t next = follower_of(end);
      if (next == no_state) return false;
      alone > 1 ? tell_of_end(fork, end, next) : tell_of_way_around(fork, end, next);
      return true;
    }
    return false;
  }

  // Reports a join that does not wait for the branches of the fork which come to it, because they meet elsewhere.
  bool comes_to_another_join(std::size_t fork, const ForkBranches& branches) {
    const std::size_t join = joins_[fork];
    for (const std::size_t other : branches.reached()) {
      if (!is_join(other) || states_[other].hidden || other == join || branches.count(other) < 2) continue;
      const std::size_t next = acts(other) ? other : follower_of(other);
      if (next == no_state) continue;
      // Branches may come to it by forks of their own, for each of which it waits.
      const std::vector<std::size_t> inner = forks_that_meet_at(other);
      if (!inner.empty() && (walks_left_-- <= 0 || !is_reached_without(fork, other, inner))) continue;
      tell_of_other_join(fork, other, next);
      return true;
    }
    return false;
  }

  // Reports an exit by which a branch leaves the way to its join, if the run continues at the join all the same: a
  // failure is then lost, or a step runs twice.
  bool goes_around_its_join(std::size_t fork, const ForkBranches& branches) {
    const std::size_t join = joins_[fork];
    // The next step may come only after the join of a fork around this one.
    if (join == no_state || (!acts(join) && follower_of(join, true) == no_state)) return false;
    const auto ways = ways_around_join(fork, branches);
    if (ways.empty()) return false;
    // A way back to the fork begins all branches again, and these come to the join.
    const StateMarks to_fork = reached_from({fork}, sources(), join);
    const StateMarks to_end = reached_from(all_with(&ForkChecker::has_exit_to_end), sources(), fork);
    const StateMarks behind = reached_from({join}, targets(), fork);
    const StateMarks to_step_behind = reached_from(all_with(&ForkChecker::works, behind), sources(), fork);
    for (const Way& way : ways) {
      if (to_fork[way.target]) {
        // Inside the branch, an outer fork begins again. After the join of that fork, the branch continues.
        if (!begins_outer_fork(fork, way.target, to_fork) || !to_step_behind[way.target]) continue;
        tell_of_second_time(fork, way, behind);
        return true;
      }
      if (way.exit != nullptr && way.failed && hands_failure_on(workflow_, states_[way.state], *way.exit) &&
          !may_take_failures(workflow_, states_[way.target]))
        continue;
      if (way.failed && to_end[way.target]) {
        tell_of_lost_failure(fork, way);
        return true;
      }
      if (to_step_behind[way.target]) {
        tell_of_second_time(fork, way, behind);
        return true;
      }
    }
    return false;
  }

  // Whether a way leads from the state, which leads to the fork, into another fork that has this fork on one of its
  // branches, and meets elsewhere. `to_fork`: the states that lead to the fork without its join.
  bool begins_outer_fork(std::size_t fork, std::size_t state, const StateMarks& to_fork) {
    if (walks_left_-- <= 0) return false;
    const StateMarks begun = reached_from({state}, targets(), fork);
    for (std::size_t outer = 0; outer < states_.size(); ++outer) {
      const std::size_t join = joins_[outer];
      if (outer == fork || join == no_state || join == joins_[fork] || !begun[outer] || !to_fork[outer]) continue;
      if (walks_left_-- <= 0) return false;
      if (reached_from({fork}, sources(), join)[outer]) return true;
    }
    return false;
  }

  // How a branch can leave a state: by an exit, or by the option `on failure` of its action.
  struct Way {
    std::size_t state;
    std::size_t target;
    std::size_t offset;
    bool failed;             // only after a failure
    const Transition* exit;  // nullptr: the option
  };

  std::vector<Way> ways_from(std::size_t state) const {
    std::vector<Way> ways;
    for (const Transition& exit : states_[state].exits) {
      ways.push_back({state, exit.target, exit.offset, exit.kind == Transition::Kind::failure, &exit});
    }
    if (!states_[state].action) return ways;
    const NamedPlace& handler = states_[state].action->options.on_failure;
    ways.push_back({state, workflow_.index_of(handler.name), handler.offset, true, nullptr});
    return ways;
  }

  // The ways from states on the way to the join of the fork to states from which none leads there.
  std::vector<Way> ways_around_join(std::size_t fork, const ForkBranches& branches) {
    const std::size_t join = joins_[fork];
    StateMarks to_join(states_.size());
    to_join[join] = true;
    std::vector<std::size_t> todo = {join};
    while (!todo.empty()) {
      const std::size_t at = todo.back();
      todo.pop_back();
      for (const std::size_t from : sources()[at]) {
        if (from == fork || to_join[from] || branches.count(from) == 0) continue;
        to_join[from] = true;
        todo.push_back(from);
      }
    }
    std::vector<Way> found;
    for (const std::size_t state : branches.reached()) {
      if (state == join || !to_join[state] || aborts(state)) continue;
      for (const Way& way : ways_from(state)) {
        if (way.target != no_state && way.target != fork && !to_join[way.target] && !aborts(way.target))
          found.push_back(way);
      }
    }
    return found;
  }

  void tell_of_lost_failure(std::size_t fork, const Way& way) {
    const std::string join = name_of_join(joins_[fork]);
    diagnostics_.warn(way.offset, "after a failure of '" + states_[way.state].id + "', its " + branch_word(fork) +
                                      " ends before it comes to " + join + ", and the run continues after " + join +
                                      " as if nothing had failed; lead the " + branch_word(fork) + " to " + join +
                                      ", whose exits can tell `success` from `failure`");
  }

  void tell_of_second_time(std::size_t fork, const Way& way, const StateMarks& behind) {
    const std::string join = name_of_join(joins_[fork]);
    const StateMarks around = reached_from({way.target}, targets(), fork);
    std::size_t step = 0;
    while (!around[step] || !behind[step] || !works(step)) ++step;
    diagnostics_.warn(way.offset, std::string(way.exit == nullptr ? "this `on failure`" : "this arrow") + " leads a " +
                                      branch_word(fork) + " of '" + states_[fork].id + "' around " + join + " to '" +
                                      states_[step].id + "', which also comes after " + join +
                                      ", so it would run twice; lead the " + branch_word(fork) + " to " + join);
  }

  // The states for which `is_wanted` is true, among those that are marked.
  std::vector<std::size_t> all_with(bool (ForkChecker::*is_wanted)(std::size_t) const,
                                    const StateMarks& marked = {}) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if ((marked.empty() || marked[i]) && (this->*is_wanted)(i)) found.push_back(i);
    }
    return found;
  }

  bool has_exit_to_end(std::size_t state) const {
    const auto& exits = states_[state].exits;
    return !aborts(state) &&
           std::any_of(exits.begin(), exits.end(), [](const Transition& exit) { return exit.target == no_state; });
  }

  std::string branch_word(std::size_t fork) const { return states_[fork].other_half == no_state ? "branch" : "region"; }

  // Reports a step to which several branches come, each by itself, although nothing has failed.
  void comes_to_one_state(std::size_t fork) {
    const bool has_regions = states_[fork].other_half != no_state;
    if (!has_regions && has_a_branch_twice(fork)) return;
    const ForkBranches branches(edges_, states_[fork], {joins_[fork]}, ForkBranches::Follow::after_success);
    for (const std::size_t state : branches.reached()) {
      if (state == joins_[fork] || branches.count(state) < 2 || !works(state)) continue;
      diagnostics_.warn(states_[state].offset,
                        std::string("several ") + (has_regions ? "regions" : "branches") + " of '" + states_[fork].id +
                            "' lead to '" + states_[state].id +
                            "' before they meet, so it runs once for each of them, at the same time; to run it once, " +
                            (has_regions ? "put it behind '" + states_[fork].id + "'"
                                         : std::string("lead the branches to a <<join>> before it")));
      return;
    }
  }

  // Two exits with the same target: the author wants the same steps twice.
  bool has_a_branch_twice(std::size_t fork) const {
    std::vector<std::size_t> begun;
    for (const Transition& exit : states_[fork].exits) begun.push_back(exit.target);
    std::sort(begun.begin(), begun.end());
    return std::adjacent_find(begun.begin(), begun.end()) != begun.end();
  }

  // The first state with an action that comes after a success of `state`, before any join unless `past_joins`; no_state:
  // no such state follows.
  std::size_t follower_of(std::size_t state, bool past_joins = false) const {
    StateMarks seen(states_.size());
    std::deque<std::size_t> todo = {state};
    while (!todo.empty()) {
      const State& at = states_[todo.front()];
      todo.pop_front();
      for (const std::size_t next : edges_.after_success().targets(at, at)) {
        if (next == no_state || seen[next] || (is_join(next) && !past_joins) || aborts(next)) continue;
        if (acts(next)) return next;
        seen[next] = true;
        todo.push_back(next);
      }
    }
    return no_state;
  }

  // By state: where its exits and its `on failure` lead. An Abort leads nowhere.
  const StateEdges& targets() {
    if (!targets_.empty()) return targets_;
    targets_ = edges_of(workflow_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (aborts(i)) targets_[i].clear();
    }
    return targets_;
  }
  // By state: the states that lead to it.
  const StateEdges& sources() {
    if (sources_.empty()) sources_ = reversed(targets());
    return sources_;
  }

  bool leads_to(std::size_t from, std::size_t to, std::size_t fork) {
    return reached_from({from}, targets(), fork)[to];
  }

  std::vector<std::size_t> forks_that_meet_at(std::size_t join) const {
    std::vector<std::size_t> forks;
    for (std::size_t i = 0; i < joins_.size(); ++i) {
      if (joins_[i] == join) forks.push_back(i);
    }
    return forks;
  }

  // Whether a branch comes to the state without passing any of these forks.
  bool is_reached_without(std::size_t fork, std::size_t state, std::vector<std::size_t> passed) const {
    passed.push_back(joins_[fork]);
    return ForkBranches(edges_, states_[fork], passed).count(state) > 0;
  }

  std::string name_of_join(std::size_t join) const {
    return (states_[join].hidden ? "the end of '" : "the join '") + shown_name(workflow_, join) + "'";
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
    const std::string join = name_of_join(joins_[fork]);
    const std::string branch = branch_word(fork);
    diagnostics_.add(states_[fork].offset, "a " + branch + " of '" + states_[fork].id +
                                               "' comes to the end of the composite state '" +
                                               shown_name(workflow_, end) + "' around " + join + ", so '" +
                                               states_[next].id + "', which follows, would run for that " + branch +
                                               " and again after " + join + "; lead the " + branch + " to " + join);
  }

  void tell_of_other_join(std::size_t fork, std::size_t other, std::size_t next) {
    const std::size_t join = joins_[fork];
    const std::string its = "'" + states_[other].id + "'";
    const auto& exits = states_[fork].exits;
    const bool all_lead = std::all_of(exits.begin(), exits.end(), [&](const Transition& exit) {
      return exit.target != no_state && (exit.target == other || leads_to(exit.target, other, fork));
    });
    const std::string why =
        join == no_state
            ? "not all branches of '" + states_[fork].id + "' lead to the join " + its + ", so it"
            : "the branches of '" + states_[fork].id + "' meet at " + name_of_join(join) + ", so the join " + its;
    const std::string advice = all_lead && join != no_state
                                   ? "lead all of them to one join, whose exits can tell `success` from `failure`"
                                   : "give the branches that meet there a fork of their own";
    diagnostics_.add(states_[other].offset, why + " does not wait for them, and '" + states_[next].id +
                                                "' would run once for each branch that comes to " + its + "; " +
                                                advice);
  }

  const Workflow& workflow_;
  const std::vector<State>& states_;
  Diagnostics& diagnostics_;
  const BranchEdges edges_;
  std::vector<std::size_t> joins_;  // by state: for a fork, its join
  StateEdges targets_;
  StateEdges sources_;
  // The further walks that the checks of pairs of forks may still take. A file that needs more is checked in parts only, so that the
  // check of no file takes long.
  int walks_left_ = 500;
};

}  // namespace

void check_forks(const Workflow& workflow, Diagnostics& diagnostics) {
  if (!workflow.diagram_unread) ForkChecker(workflow, diagnostics).run();
}

}  // namespace wtool::host::workflow
