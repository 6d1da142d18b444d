// The exits of states: which one is taken, and where a failure leads. Reads values, and changes nothing.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "runner/run.h"
#include "runner/variables.h"

namespace wtool::host::runner {

// Which kind of failure the exits of a state have to handle.
enum class Failed {
  no,
  action,  // an action has failed
  path,    // a path can go no further: nothing handles its failure, or no exit of its state is open
  inside,  // under `failures: continue`: nothing inside of a composite state has handled a failure
};

struct Choice {
  const workflow::Transition* taken = nullptr;     // nullptr: no exit is open
  const workflow::Transition* left_out = nullptr;  // the unconditional exit that is not taken because of the failure
  // Why a condition could not be evaluated; empty: all could. `taken` is then the state's exit `failure`, or nullptr.
  std::string mistake;
};

struct FailureWay {
  enum class Kind {
    leads_on,
    joins,      // the failure reaches the join at which the path ends, whose exits may handle it
    unhandled,  // no exit handles the failure, not even an exit of the composite states around the state
    mistake,    // a condition on the way cannot be evaluated
  };
  Kind kind = Kind::unhandled;
  std::size_t target = workflow::no_state;  // leads_on: the next state
  bool handed_on = false;                   // leads_on: the next state handles the failure
  Failed failed = Failed::no;               // leads_on: the kind of failure, as the next state has to handle it
  bool always = false;                      // leads_on: by an arrow `always`, which handles the failure
  std::string mistake;
  std::string left_out;  // unhandled: the first arrow that was not taken, as `A --> B`; may be empty
};

class Exits {
 public:
  // For a path in a branch of the fork `fork`; no_state: the path is not in a branch. ends_at() sets the join at which
  // the path ends. All references must outlive this object.
  Exits(const WorkflowInvocation& invocation, const Variables& variables, std::size_t fork);
  void ends_at(std::size_t until) { until_ = until; }

  Choice choose(const workflow::State& state, Failed failed) const;

  // Where a failure leads if the exits of `state` are tried first. Follows the failure until an exit handles it, it
  // reaches the join of its branch, a condition cannot be evaluated, or nothing is left that could handle it. In the
  // last two cases the step has not transitioned, and runs again when the run is resumed. In the case of the join, it
  // runs again only if the path had not continued after the join.
  FailureWay way_from(std::size_t state, Failed failed) const { return way_from(state, failed, 0); }
  // Like way_from(), but leaves out the exits of `state`: the failure leads to the ends of the composite states around
  // it, the innermost first.
  FailureWay way_out(std::size_t state, Failed failed) const { return way_out(state, failed, 0); }

 private:
  FailureWay way_from(std::size_t state, Failed failed, std::size_t depth) const;
  FailureWay way_out(std::size_t state, Failed failed, std::size_t depth) const;
  bool leaves_out(const workflow::State& state, const workflow::Transition& exit, Failed failed) const;
  std::string arrow(const workflow::State& state, const workflow::Transition& exit) const;
  std::variant<bool, std::string> judge(const workflow::Transition& exit) const;
  bool flag(const char* name) const { return *variables_.find(name)->as_bool(); }

  const WorkflowInvocation& invocation_;
  const workflow::Workflow& workflow_;
  const Variables& variables_;
  std::size_t until_ = workflow::no_state;
  std::vector<std::size_t> outside_;  // the hidden ends of the composite states around the fork
};

}  // namespace wtool::host::runner
