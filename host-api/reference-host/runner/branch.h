// One path through a workflow, on one thread: enters a state, runs its action, tries its exits, and takes one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runner/actions.h"
#include "runner/exits.h"
#include "runner/run.h"
#include "runner/variables.h"

namespace wtool::host::runner {

class Branch {
 public:
  // `name` is as in Step::branch. All references must outlive this object.
  Branch(const WorkflowInvocation& invocation, std::string name, Variables& variables, Stop& stop, Lineage lineage = {})
      : invocation_(invocation),
        run_(invocation.run),
        place_{std::move(name)},
        variables_(variables),
        stop_(stop),
        lineage_(lineage),
        exits_(invocation, variables, lineage.fork) {}

  // Runs until the path ends at [*], reaches the join `until`, which it does not enter, or cannot continue.
  BranchResult go(std::size_t start, std::size_t until = workflow::no_state);

  // How the last action ended.
  const std::optional<LastStep>& last() const { return last_; }

 private:
  // A failure that the current state (a join, a choice, or the end of a composite state) has to handle.
  struct Pending {
    BranchResult end;  // how the path ends, if nothing handles it
    Outcome outcome;
    Failed failed = Failed::action;
  };

  // How often in a row a state has handled what would otherwise have ended the run.
  struct HandledInARow {
    int results = 0;   // of its action
    int mistakes = 0;  // in the conditions of its exits
  };

  BranchResult failed(std::string reason) const;
  BranchResult fatal(std::string reason, bool refused) const;
  BranchResult aborted() const;
  BranchResult joined() const;
  std::string what_failed() const;

  // Enters the state `current`, and then sets `current` to the next state; or returns how the path has ended.
  std::optional<BranchResult> visit(std::size_t& current);
  std::optional<BranchResult> fatal_end(const Step& step, const Outcome& outcome, const ActionResult& result);
  void stand_for(const Pending& failure, const workflow::State& state, Step& step, StepEnd& end);
  std::optional<BranchResult> leave(Step& step, StepEnd& end, bool action_failed, std::size_t& current);
  std::optional<BranchResult> follow(const FailureWay& way, Step& step, StepEnd& end, std::size_t& current);
  std::optional<BranchResult> mistaken(const workflow::State& state, const Choice& choice, Step& step, StepEnd& end,
                                       std::size_t& current);
  std::optional<BranchResult> go_on(Step& step, StepEnd& end, const std::vector<std::size_t>& targets,
                                    std::size_t& current);
  std::optional<BranchResult> take_fork(const workflow::State& state, Step& step, StepEnd& end, std::size_t& current);
  BranchResult stay(Step& step, StepEnd& end, BranchResult branch_result);
  ActionResult perform(const workflow::State& state, Step& step, std::int64_t visit);
  void tell_budget();
  void store(const Step& step, ActionResult& result, StepEnd& end);
  // Makes `outcome` the last outcome, which conditions read.
  void tell(const Outcome& outcome) { variables_.record("", "", outcome); }

  const WorkflowInvocation& invocation_;
  Run& run_;
  StepPlace place_;  // of the newest step
  Variables& variables_;
  Stop& stop_;
  const Lineage lineage_;
  std::optional<LastStep> last_;
  Exits exits_;
  std::optional<Pending> pending_;
  std::unordered_map<std::size_t, HandledInARow> handled_;  // by state
};

}  // namespace wtool::host::runner
