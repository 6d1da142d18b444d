#include "workflow/check/checks.h"

#include <algorithm>
#include <unordered_set>

#include "base/edit_distance.h"
#include "workflow/actions/action_type.h"
#include "workflow/check/failure_rule.h"
#include "workflow/model/diagnostics.h"
#include "workflow/model/edges.h"

namespace wtool::host::workflow {
namespace {

bool asks_how_it_ended(const Transition& transition) {
  return transition.kind == Transition::Kind::success || transition.kind == Transition::Kind::failure;
}

// The condition's value if it is the literal true or false; else null.
const bool* literal_of(const Transition& transition) {
  if (transition.kind != Transition::Kind::expression || !transition.condition.root) return nullptr;
  const expressions::Node& root = *transition.condition.root;
  return root.kind == expressions::Node::Kind::literal ? root.value.as_bool() : nullptr;
}

class DiagramChecker {
 public:
  DiagramChecker(const Workflow& workflow, Diagnostics& diagnostics)
      : workflow_(workflow), states_(workflow.states), diagnostics_(diagnostics) {}

  void run() {
    // A start that seems missing may be in a line that was not understood.
    if (workflow_.start == no_state && workflow_.diagram_unread) return;
    if (workflow_.start == no_state) {
      diagnostics_.add(states_[0].offset, "the diagram has no start; add a line [*] --> " + states_[0].id,
                       "[*] --> " + states_[0].id);
    } else {
      connect();
      if (!workflow_.diagram_unread) reach();
      joins();
      if (!workflow_.diagram_unread) arrows_into_regions();
      first_actions();
      forgotten_actions();
      ends_after_failures();
      leads_back_from_finally();
      runs_again_in_finally();
    }
    for (const State& state : states_) {
      exits(state);
      open_end(state);
    }
  }

 private:
  // A state may lead to the targets of its exits, and to the state that its action names with `on failure`.
  void connect() {
    targets_ = edges_of(workflow_);
    sources_ = reversed(targets_);
    with_failures_ = targets_;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].around == no_state) continue;
      if (can_fail(states_[i]) || states_[i].hidden) with_failures_[i].push_back(states_[i].around);
    }
  }

  void reach() {
    const std::size_t last = workflow_.index_of(workflow_.finally.name);
    const std::vector<std::size_t> roots = {workflow_.start, last, workflow_.index_of(workflow_.on_failure.name)};
    const StateMarks left = reached_from(roots, targets_);
    const StateMarks reached = reached_from(roots, with_failures_);
    const StateMarks ends = lead_to_end();
    const StateMarks told = unreached_beginnings(reached);
    bool said_endless = false;
    // An agent in a part of the diagram without an end may end the workflow itself, so a missing transition after the
    // agent may be intended.
    bool agent_ends = false;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      agent_ends = agent_ends || (reached[i] && !ends[i] && states_[i].action &&
                                  std::holds_alternative<PromptAction>(states_[i].action->kind));
    }
    const auto tell = [&](std::size_t offset, const std::string& message) {
      agent_ends ? diagnostics_.warn(offset, message) : diagnostics_.add(offset, message);
    };
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State& state = states_[i];
      if (state.hidden && left[i] && state.exits.empty() && state.other_half != last) {
        leads_nowhere(state.offset, shown_name(workflow_, i), "");
      } else if (state.hidden) {
        if (!left[i] && !state.exits.empty() && !(reached[i] && takes_inner_failures(state))) never_left(state);
      } else if (!reached[i] && (is_passed_by(i, reached) || !told[i] || has_unknown_targets() ||
                                 workflow_.ambiguous_states.contains(state.id))) {
        continue;
      } else if (!reached[i]) {
        tell(state.offset, "the state '" + state.id + "' cannot be reached from the start" + hint(state.id));
      } else if (state.exits.empty() && !ends_run(state) && !state.action_unread && i != last) {
        leads_nowhere(state.offset, state.id, state.action ? "" : hint(state.id));
      } else if (!ends[i] && !said_endless && !state.action_unread) {
        tell(state.offset,
             "the end [*] cannot be reached from the state '" + state.id + "': " +
                 (agent_ends ? "only an agent can end the run, with a line `exit` in the file $WTOOL_STEER"
                             : "the run would never end"));
        said_endless = true;
      }
    }
    if (!said_endless) endless_ends(left, ends);
  }

  void leads_nowhere(std::size_t offset, const std::string& id, const std::string& hint) {
    const std::string line = id + " --> [*]";
    diagnostics_.add(offset, "the state '" + id + "' leads nowhere; add a line " + line + hint, line);
  }

  // Reports an end of a composite state that leads only to itself and other such ends, as with `X --> [*]` inside of X.
  void endless_ends(const StateMarks& left, const StateMarks& ends) {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!states_[i].hidden || !left[i] || ends[i]) continue;
      const auto& exits = states_[i].exits;
      const auto inwards =
          std::find_if(exits.begin(), exits.end(), [&](const Transition& exit) { return stands_in(exit.target, i); });
      if (inwards == exits.end()) continue;
      return diagnostics_.add(inwards->offset, endless_end(shown_name(workflow_, i)));
    }
  }

  static std::string endless_end(const std::string& id) {
    return "the end [*] cannot be reached from the end of the composite state '" + id +
           "': the run would never end; a line `" + id + " --> ...` inside of '" + id + "' is an exit of '" + id + "'";
  }

  // Whether the state is the hidden state `end`, or stands inside of its composite state, however deep.
  bool stands_in(std::size_t state, std::size_t end) const {
    return state != no_state && (state == end || is_inside(workflow_, state, end));
  }

  // Unreached states from which all other unreached states can be reached. Only these states need a diagnostic.
  StateMarks unreached_beginnings(const StateMarks& reached) const {
    StateMarks told(states_.size());
    StateMarks covered = reached;
    for (const bool only_first : {true, false}) {
      for (std::size_t i = 0; i < states_.size(); ++i) {
        if (covered[i] || states_[i].hidden || (only_first && !sources_[i].empty())) continue;
        told[i] = true;
        mark_reached({i}, targets_, covered);
      }
    }
    return told;
  }

  // Whether `on failure` or `finally` names a state that is not in the diagram. Such a name is reported by another
  // check.
  bool has_unknown_targets() const {
    const auto unknown = [this](const NamedPlace& place) {
      return !place.name.empty() && workflow_.index_of(place.name) == no_state;
    };
    if (unknown(workflow_.on_failure) || unknown(workflow_.finally)) return true;
    return std::any_of(states_.begin(), states_.end(),
                       [&](const State& state) { return state.action && unknown(state.action->options.on_failure); });
  }

  // Whether `state` is a composite state that is bypassed, because arrows lead straight to its inner states.
  bool is_passed_by(std::size_t state, const StateMarks& reached) const {
    if (workflow_.find(states_[state].id + "/end") == nullptr) return false;
    return std::any_of(targets_[state].begin(), targets_[state].end(),
                       [&](std::size_t inner) { return reached[inner]; });
  }

  bool takes_inner_failures(const State& end) const {
    return std::any_of(end.exits.begin(), end.exits.end(),
                       [&](const Transition& exit) { return may_take_inner_failure(workflow_, end, exit); });
  }

  // Reports a composite state in which nothing leads to its end.
  void never_left(const State& hidden) {
    diagnostics_.add(hidden.exits[0].offset,
                     "this exit is never taken: nothing inside the composite state leads to its end; add a line "
                     "State --> [*] inside of it");
  }

  // The states that can reach an end: [*], an Abort, or a dead end (which is reported separately).
  StateMarks lead_to_end() const {
    const std::size_t count = states_.size();
    // The node count + i is the end i of a composite state after a failure inside, when only some exits are taken.
    StateEdges sources = sources_;
    sources.resize(2 * count);
    std::vector<std::size_t> ends;
    for (std::size_t i = 0; i < count; ++i) {
      const State& state = states_[i];
      if (state.exits.empty() || ends_run(state) ||
          std::any_of(state.exits.begin(), state.exits.end(),
                      [](const Transition& exit) { return exit.target == no_state; })) {
        ends.push_back(i);
      }
      const bool lets_out = state.around != no_state && !keeps_failures(state);
      if (lets_out && can_fail(state)) sources[count + state.around].push_back(i);
      if (!state.hidden) continue;
      if (lets_out) sources[count + state.around].push_back(count + i);
      for (const Transition& exit : state.exits) {
        if (!may_take_inner_failure(workflow_, state, exit)) continue;
        if (exit.target == no_state) {
          ends.push_back(count + i);
        } else {
          sources[exit.target].push_back(count + i);
        }
      }
    }
    return reached_from(ends, sources);
  }

  // Whether no failure of the state leads to the exits of the composite state around it.
  bool keeps_failures(const State& state) const {
    if (state.action && !state.action->options.on_failure.name.empty()) return true;
    return std::any_of(state.exits.begin(), state.exits.end(), [&](const Transition& exit) {
      const bool decides = exit.target != no_state && states_[exit.target].kind == State::Kind::choice;
      return exit.kind == Transition::Kind::failure ||
             (is_unconditional(exit) && !decides && takes_failure(workflow_, state, exit));
    });
  }

  void joins() {
    std::vector<std::size_t> forks;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].kind == State::Kind::fork) forks.push_back(i);
    }
    const StateMarks behind_fork = reached_from(forks, with_failures_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].kind != State::Kind::join || states_[i].hidden || behind_fork[i]) continue;
      diagnostics_.warn(states_[i].offset,
                        "no <<fork>> leads to the join '" + states_[i].id + "', so it waits for nothing");
    }
  }

  // Reports arrows from outside of a composite state with several regions to a state in one of the regions.
  void arrows_into_regions() {
    if (std::none_of(states_.begin(), states_.end(),
                     [](const State& state) { return state.hidden && state.kind == State::Kind::join; })) {
      return;
    }
    into_region(no_state, workflow_.start, states_[workflow_.start].offset, "the start");
    for (std::size_t i = 0; i < states_.size(); ++i) {
      // The branches of a fork may lead to different regions, and join at their end.
      if (states_[i].kind == State::Kind::fork) continue;
      for (const Transition& exit : states_[i].exits) into_region(i, exit.target, exit.offset, "this arrow");
      if (!states_[i].action) continue;
      const NamedPlace& handler = states_[i].action->options.on_failure;
      into_region(i, workflow_.index_of(handler.name), handler.offset, "this `on failure`");
    }
  }

  void into_region(std::size_t from, std::size_t to, std::size_t offset, const std::string& what) {
    if (to == no_state) return;
    const std::size_t outside = from == no_state ? no_state : states_[from].around;
    for (std::size_t end = states_[to].around; end != no_state && end != outside; end = states_[end].around) {
      if (states_[end].kind != State::Kind::join || stands_in(outside, end)) continue;
      return diagnostics_.warn(offset, what + one_region_only(shown_name(workflow_, end)));
    }
  }

  static std::string one_region_only(const std::string& id) {
    return " leads into one of the regions of '" + id + "', so the other regions do not run, and the end of '" + id +
           "' waits for nothing; lead it to '" + id + "' to run all regions";
  }

  // Reports conditions on success and failure in places that are reached before any action has run.
  void first_actions() {
    std::vector<std::size_t> acting;
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (states_[i].action || states_[i].action_unread) acting.push_back(i);
    }
    const StateMarks after_action = reached_from(acting, with_failures_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (after_action[i]) continue;
      for (const Transition& exit : states_[i].exits) {
        if (!asks_how_it_ended(exit)) continue;
        diagnostics_.warn(exit.label_offset,
                          "no action can have run before this condition, so the outcome is always a success");
        break;
      }
    }
  }

  // The end of a message about `id`, which may be mistyped: the most similar name of another state. Empty: no name is
  // similar, or there are already many diagnostics. (The search takes time.)
  std::string hint(const std::string& id) {
    if (diagnostics_.size() > max_diagnostics_shown) return "";
    if (ids_.empty()) {
      for (const State& state : states_) {
        if (!state.hidden) ids_.push_back(state.id);
      }
    }
    return did_you_mean(id, ids_);
  }

  // Reports a state that only leads from one step to the next and has no action. Often its item has been deleted, or has
  // another name. A state that begins or ends a path, decides, or is described in the diagram may well have none.
  void forgotten_actions() {
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State& state = states_[i];
      const bool does_nothing = state.kind == State::Kind::plain && !state.hidden && state.other_half == no_state &&
                                !state.action && !state.action_unread && state.description.empty();
      if (!does_nothing || state.exits.size() != 1 || !is_unconditional(state.exits[0])) continue;
      const std::size_t next = state.exits[0].target;
      if (next == no_state || !states_[next].action || sources_[i].empty()) continue;
      if (!std::all_of(sources_[i].begin(), sources_[i].end(),
                       [&](std::size_t source) { return states_[source].action.has_value(); })) {
        continue;
      }
      diagnostics_.warn(state.offset, "the state '" + state.id +
                                          "' stands between two steps and does nothing; add an "
                                          "item `- " +
                                          state.id + ": ...` to the actions, or a line `" + state.id +
                                          ": TEXT` to the diagram that says what it stands for");
    }
  }

  // Reports exits by which the run is completed although a step has failed, so that nobody sees the failure.
  // Where failures continue, every exit to the end takes them. What handles a failure, or runs at last, does not decide
  // how the run ends.
  void ends_after_failures() {
    if (workflow_.continues) return;
    std::vector<std::size_t> handlers;
    for (const NamedPlace* name : {&workflow_.on_failure, &workflow_.finally}) {
      if (const std::size_t root = workflow_.index_of(name->name); root != no_state) handlers.push_back(root);
    }
    const StateMarks handling = reached_from(handlers, targets_);
    const StateMarks ordinary = reached_from({workflow_.start}, targets_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State& state = states_[i];
      if (state.hidden || !can_fail(state) || (handling[i] && !ordinary[i])) continue;
      for (const Transition& exit : state.exits) {
        if (exit.target != no_state || !(exit.always || exit.kind == Transition::Kind::failure)) continue;
        diagnostics_.warn(
            exit.label_offset,
            "a failure of '" + state.id + "' then ends the run as completed, with exit status 0; " +
                (exit.always ? "write `" + state.id + " --> [*]`" : std::string("remove this line")) +
                " to let the run fail, and name a state that must run in any case with `finally` in the front matter");
      }
    }
  }

  // Reports an arrow from the states of `finally` to a step of the ordinary path: if the run has failed before that step,
  // the step would run after the failure.
  void leads_back_from_finally() {
    const std::size_t last = workflow_.index_of(workflow_.finally.name);
    if (last == no_state) return;
    const StateMarks ordinary = reached_from({workflow_.start}, targets_);
    const StateMarks at_last = reached_from({last}, targets_);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      if (!at_last[i] || (ordinary[i] && i != last)) continue;
      for (const Transition& exit : states_[i].exits) {
        if (exit.target == no_state || exit.target == last || !ordinary[exit.target]) continue;
        const std::size_t step = first_step(exit.target, ordinary);
        if (step == no_state || step == last) continue;
        return diagnostics_.warn(
            exit.offset, "this arrow leads from `finally` to '" + states_[step].id +
                             "', a step of the ordinary path: after a failure or an abort before that step, the "
                             "run would continue with it; let `finally` lead to its own states and to [*] only");
      }
    }
  }

  // Reports a step to which `on failure` and `finally` both lead. A step of the ordinary path has another warning.
  void runs_again_in_finally() {
    const std::size_t handler = workflow_.index_of(workflow_.on_failure.name);
    const std::size_t last = workflow_.index_of(workflow_.finally.name);
    if (handler == no_state || last == no_state || handler == last) return;
    const StateMarks ordinary = reached_from({workflow_.start}, targets_);
    const StateMarks at_last = reached_from({last}, targets_);
    // If `on failure` comes to the state that `finally` names, that state is not entered again.
    StateMarks handling(states_.size());
    handling[last] = true;
    mark_reached({handler}, targets_, handling);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const State& state = states_[i];
      if (i == last || !at_last[i] || !handling[i] || ordinary[i]) continue;
      if (!state.action || ends_run(state) || !type_of(state.action->kind).calls_something) continue;
      return diagnostics_.warn(state.offset, "`on failure` and `finally` both lead to '" + state.id +
                                                 "', so it would run twice after a failure; let only `finally` lead to "
                                                 "it, which runs after a failure, too");
    }
  }

  // Finds the nearest step: `from` itself or a state after it that has an action. Walks over marked states only. no_state:
  // there is no such step.
  std::size_t first_step(std::size_t from, const StateMarks& marked) const {
    std::vector<std::size_t> todo = {from};
    StateMarks seen(states_.size());
    for (std::size_t i = 0; i < todo.size(); ++i) {
      const std::size_t at = todo[i];
      if (seen[at] || !marked[at]) continue;
      if (states_[at].action) return at;
      seen[at] = true;
      todo.insert(todo.end(), targets_[at].begin(), targets_[at].end());
    }
    return no_state;
  }

  // Reports a choice without an exit for the case that none of its conditions is true.
  void open_end(const State& state) {
    if (state.kind != State::Kind::choice || state.exits.empty()) return;
    bool success = false;
    bool failure = false;
    bool expression = false;
    for (const Transition& exit : state.exits) {
      if (is_unconditional(exit) || literal_of(exit) != nullptr || !is_one_case(exit)) return;
      success = success || exit.kind == Transition::Kind::success;
      failure = failure || exit.kind == Transition::Kind::failure;
      expression = expression || exit.kind == Transition::Kind::expression;
    }
    if ((success && failure) || !expression) return;
    diagnostics_.warn(state.offset, "the choice '" + state.id +
                                        "' has no exit to take if none of its conditions is true, so the run would "
                                        "fail there; add a line `" +
                                        state.id + " --> STATE: default`");
  }

  // False for a negation and for a comparison other than ==. Together with another condition, such a condition may
  // cover every case, as `x > 3` and `x <= 3` do, so the choice is not reported.
  static bool is_one_case(const Transition& exit) {
    if (exit.kind != Transition::Kind::expression) return true;
    if (!exit.condition.root) return false;
    const expressions::Node& root = *exit.condition.root;
    const auto ordered = [](const expressions::Node& node) {
      return node.kind == expressions::Node::Kind::comparison && node.text != "==";
    };
    return root.kind != expressions::Node::Kind::not_ && !ordered(root);
  }

  void exits(const State& state) {
    const Transition* open = nullptr;
    const Transition* always_true = nullptr;
    std::unordered_set<std::string> seen;
    for (const Transition& exit : state.exits) {
      if (state.kind == State::Kind::fork) {
        if (exit.kind == Transition::Kind::unconditional) continue;
        diagnostics_.add(exit.label_offset,
                         "an exit of the fork '" + state.id +
                             "' must not have a condition, because all exits are taken at the same time");
        continue;
      }
      if (always_true != nullptr) {
        diagnostics_.add(exit.offset, "this exit of '" + state.id + "' is never taken: an earlier one is always true");
        continue;
      }
      if (is_unconditional(exit)) {
        if (open != nullptr && exit.target == no_state && state.action &&
            std::holds_alternative<PromptAction>(state.action->kind)) {
          diagnostics_.warn(exit.offset, "this exit of '" + state.id +
                                             "' is taken only where the agent ends the workflow, with a line `exit` in "
                                             "{{ values_file }}");
          continue;
        }
        if (open != nullptr) {
          diagnostics_.add(exit.offset, "this is a second exit of '" + state.id +
                                            "' that is always open; give all but one a condition, or declare `state " +
                                            state.id + " <<fork>>` to take all of them at the same time");
        }
        open = &exit;
        continue;
      }
      condition(state, exit, always_true, seen);
    }
  }

  void condition(const State& state, const Transition& exit, const Transition*& always_true,
                 std::unordered_set<std::string>& seen) {
    const std::string text = exit.kind == Transition::Kind::success   ? "success"
                             : exit.kind == Transition::Kind::failure ? "failure"
                                                                      : exit.label;
    if (text == "exhausted" && seen.contains("failure")) {
      diagnostics_.add(exit.label_offset,
                       "this exit of '" + state.id +
                           "' is never taken: a state that has had all its visits has failed, so the "
                           "exit `failure` above is taken; put this one above it");
    } else if (!seen.insert(text).second) {
      diagnostics_.add(exit.label_offset,
                       "this exit of '" + state.id + "' is never taken: an earlier one has the same condition");
    } else if (const bool* literal = literal_of(exit)) {
      if (*literal) {
        always_true = &exit;
      } else {
        diagnostics_.add(exit.label_offset,
                         "this exit of '" + state.id + "' is never taken: its condition is always false");
      }
    }
  }

  const Workflow& workflow_;
  const std::vector<State>& states_;
  Diagnostics& diagnostics_;
  StateEdges targets_;
  StateEdges sources_;
  // targets_, and from each state that can fail inside of a composite state the end of that state, whose exits the
  // failure leads to.
  StateEdges with_failures_;
  std::vector<std::string> ids_;
};

}  // namespace

void check_diagram(const Workflow& workflow, Diagnostics& diagnostics) { DiagramChecker(workflow, diagnostics).run(); }

}  // namespace wtool::host::workflow
