// The values of a run: inputs, values stored by Set and result="...", the outcomes of states, and the run's own names.
//
// A name is looked up in this order: variables (inputs, Set, results), the run's own names, states.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "expressions/expression.h"
#include "expressions/value.h"
#include "runner/outcome.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

// Only one thread at a time may use an object of this class, and find() counts as a change, because it may make
// the values of the last outcome. Several threads may copy it at the same time.
class Variables final : public expressions::Scope {
 public:
  // Until an action has run, the run's own names have the values that they have after a success with the exit code 0
  // and an empty result. `workflow` must outlive this object.
  Variables(const workflow::Workflow& workflow, const std::map<std::string, expressions::Value>& inputs);

  const expressions::Value* find(std::string_view name) const override;
  std::string why_not(std::string_view name) const override;

  void set(const std::string& name, expressions::Value value);
  // Records the outcome of a state's action; without a state, only the run's own names change.
  void record(const std::string& state, const std::string& result_name, const Outcome& outcome);
  // Sets the run's own names that never change: workflow_name, run_id.
  void set_run(const std::string& name, const std::string& run);
  // The state that --only names, outside of which no state runs. Messages about missing values then say so.
  void set_only(const std::string& state) { only_ = state; }
  // Sets the value `budget`: what is left of the budgets.
  void set_budget(expressions::Value value);
  // Sets a name that exists only on this path, since merge() does not copy it: matrix, the arguments of a prompt.
  void set_local(const std::string& name, expressions::Value value);

  // A copy of the values, for a branch that begins here. merge() does not copy them back, unless the branch sets them
  // again.
  Variables fork() const;
  // The whole output whose text is the value of `result`; nullptr: a Set has given `result` another value.
  const WholeOutput* result_whole() const { return variables_.contains("result") ? nullptr : &result_whole_; }

  // Copies what the branch has set, and calls `told` with the name of each variable that is copied.
  void merge(const Variables& branch, const std::function<void(const std::string& name)>& told);

  // The variables, without the run's own names and the outcomes of states.
  const std::map<std::string, expressions::Value, std::less<>>& variables() const { return variables_; }

 private:
  // The last outcome.
  struct Last {
    OutcomeValue value;
    bool is_error = false;
    bool exhausted = false;
    std::int64_t exit_code = 0;
    std::string error;
  };
  void set_last_names() const;

  const workflow::Workflow* workflow_;
  std::string only_;
  std::map<std::string, expressions::Value, std::less<>> variables_;
  std::map<std::string, OutcomeValue, std::less<>> states_;
  // The run's own names. Those of the last outcome are set by set_last_names(), when one of them is first read.
  mutable std::map<std::string, expressions::Value, std::less<>> last_;
  mutable std::optional<Last> new_last_;  // set: the values in last_ are of an earlier outcome
  WholeOutput result_whole_;
  bool forked_ = false;
  std::set<std::string> set_variables_;  // since the fork
  std::set<std::string> set_states_;
};

}  // namespace wtool::host::runner
