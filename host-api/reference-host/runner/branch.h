// One path through a workflow, on one thread: enters a state, runs its action, judges its exits, goes on.
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

namespace wtool::host::workflow {

class Branch {
 public:
  // `name` as Step::branch has it. All references must outlive this object.
  Branch(const Frame& frame, std::string name, Variables& variables, Stop& stop, Lineage lineage = {})
      : frame_(frame),
        run_(frame.run),
        name_(std::move(name)),
        variables_(variables),
        stop_(stop),
        lineage_(lineage),
        exits_(frame, variables, lineage.fork) {}

  // Goes on until the end, until the join `until` is reached (it is not entered), or until it can go no further.
  PathEnd go(std::size_t start, std::size_t until = no_state);

  // What the last action ended with.
  const std::optional<LastStep>& last() const { return last_; }

 private:
  // A failure that the state where the path stands has to handle: a join, a choice, the end of a composite state.
  struct Pending {
    PathEnd end;  // of the path, if nothing does
    Outcome outcome;
    Failed failed = Failed::action;
  };

  PathEnd failed(std::string reason) const;
  PathEnd fatal(std::string reason, bool refused) const;
  PathEnd aborted() const;
  std::string what_failed() const;

  // Enters the state, and makes `current` the next one; or says how the path has ended.
  std::optional<PathEnd> visit(std::size_t& current);
  void stand_for(const Pending& failure, const State& state, Step& step, StepEnd& end);
  std::optional<PathEnd> leave(Step& step, StepEnd& end, bool action_failed, std::size_t& current);
  std::optional<PathEnd> follow(const FailureWay& way, Step& step, StepEnd& end, std::size_t& current);
  std::optional<PathEnd> mistaken(const State& state, const Choice& choice, Step& step, StepEnd& end,
                                  std::size_t& current);
  std::optional<PathEnd> go_on(Step& step, StepEnd& end, const std::vector<std::size_t>& targets, std::size_t& current);
  std::optional<PathEnd> take_fork(const State& state, Step& step, StepEnd& end, std::size_t& current);
  PathEnd stay(Step& step, StepEnd& end, PathEnd path_end);
  ActionResult perform(const State& state, Step& step);
  void store(const Step& step, ActionResult& result, StepEnd& end);
  // Makes `outcome` what conditions read as the last one.
  void tell(const Outcome& outcome) { variables_.record("", "", outcome); }

  const Frame& frame_;
  Run& run_;
  std::string name_;
  Variables& variables_;
  Stop& stop_;
  const Lineage lineage_;
  std::uint64_t sequence_ = 0;
  std::optional<LastStep> last_;
  Exits exits_;
  std::optional<Pending> pending_;
  // How often in a row the exit of a state has taken what would have ended the run, by state.
  std::unordered_map<std::size_t, int> handled_fatal_ends_;
};

}  // namespace wtool::host::workflow
