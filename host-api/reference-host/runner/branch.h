// One path through a workflow, on one thread: enters a state, runs its action, judges its exits, goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runner/actions.h"
#include "runner/run.h"
#include "workflow/variables.h"

namespace wtool::host::workflow {

class Branch {
 public:
  // `name` as Step::branch has it. All references must outlive this object.
  Branch(const Frame& frame, std::string name, Variables& variables, Stop& stop, Lineage lineage = {})
      : frame_(frame), run_(frame.run), name_(std::move(name)), variables_(variables), stop_(stop), lineage_(lineage) {}

  // Goes on until the end, until the join `until` is reached (it is not entered), or until it can go no further.
  PathEnd go(std::size_t start, std::size_t until = no_state);

  // What the last action ended with.
  const std::optional<LastStep>& last() const { return last_; }

 private:
  struct Choice {
    std::size_t target = no_state;
    bool unjudged = false;  // it is the only exit, and has no condition
  };

  PathEnd failed(std::string reason) const;
  PathEnd aborted() const;
  std::string what_failed() const;

  // Enters the state, and makes `current` the next one; or says how the path has ended.
  std::optional<PathEnd> visit(std::size_t& current);
  std::optional<PathEnd> go_on(Step& step, StepEnd& end, const std::vector<std::size_t>& targets, std::size_t& current);
  std::optional<PathEnd> take_fork(const State& state, Step& step, StepEnd& end, std::size_t& current);
  ActionResult perform(const State& state, Step& step);
  void store(const State& state, ActionResult& result, StepEnd& end);
  void keep_output_files(Outcome& outcome);

  // An exit, or why there is none.
  std::variant<Choice, std::string> choose(const State& state, bool action_failed) const;
  std::variant<bool, std::string> judge(const Transition& exit) const;
  bool flag(const char* name) const { return *variables_.find(name)->as_bool(); }

  const Frame& frame_;
  Run& run_;
  std::string name_;
  Variables& variables_;
  Stop& stop_;
  const Lineage lineage_;
  std::uint64_t sequence_ = 0;
  std::optional<LastStep> last_;
  std::optional<PathEnd> failed_fork_;  // a branch has failed, and the join has not judged that yet
};

}  // namespace wtool::host::workflow
