// What an earlier run of a workflow has done, according to its journal, for a run that resumes it.
//
// The new run begins at the start again. It takes the outcomes of the steps that are recorded here, and runs all other
// steps. Because a workflow's path depends only on its inputs and outcomes, the new run follows the earlier one's path.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runner/run_observer.h"
#include "runner/usage.h"

namespace wtool::host::runner {

// A step that led to another state (StepEnd::transitioned), or whose branch is over (see PastRun::judge). It is run
// again only if it is hidden (see PastRun::hide), if it is a service that is still needed, if it belongs to `on
// failure` or `finally`, or if it comes after a change of the workflow.
struct PastStep {
  std::string state;
  Step::Status status = Step::Status::succeeded;
  int tries = 1;
  std::chrono::steady_clock::duration took{};
  StepEnd end;
  // The hash of the action, as in workflow::Action; empty: the state had no action. Nothing: the hash is not known,
  // because older journals do not contain it.
  std::optional<std::string> action_sha256{};
  std::size_t order = 0;  // among the steps of the earlier run, in the order in which they began

  // True if the step ran a different action than the one that its state, `now`, has in the file today.
  bool is_of_other_action(const workflow::State& now) const {
    return action_sha256 && *action_sha256 != (now.action ? now.action->sha256 : "");
  }
};

// True if a resumed run must be given this input again: it is a secret, which the journal does not contain, and differs
// from the default.
bool must_be_given_again(const workflow::Parameter& parameter, const expressions::Value& value);

// The inputs of a workflow in an earlier run.
struct PastInputs {
  std::map<std::string, expressions::Value> values;
  // Names of inputs that are secret, or contained a secret, so that nobody knows their values any more.
  std::vector<std::string> unknown;

  // The inputs that have another value now, or that are new, as far as their values are known.
  std::set<std::string> changed(const workflow::Workflow& workflow,
                                const std::map<std::string, expressions::Value>& now) const;
};

// A workflow that a step has run.
struct PastCall {
  std::string state;     // of the step
  std::string workflow;  // its name, as the step gave it
  PastInputs inputs;
};

// Immutable while a run reads it.
class PastRun {
 public:
  // Replaces an earlier step at the same place.
  void add(const StepPlace& place, PastStep step) {
    note_end(place);
    steps_.insert_or_assign(place, std::move(step));
  }
  // Notes that the step is a fork with a failed branch, but that its join let the path continue. Then all branches of
  // the fork are over: those that do not reach the join end where they ended before.
  void judge(const StepPlace& place) { judged_.insert(place); }
  bool is_judged(const StepPlace& place) const { return judged_.contains(place); }
  // Notes that the step ended, but must run again because its output is not in the journal.
  void hide(const StepPlace& place, PastStep step) {
    note_end(place);
    hidden_.insert_or_assign(place, std::move(step));
  }
  // The same for a step that is noted already; no other step is changed.
  void hide(const StepPlace& place) {
    const auto found = steps_.find(place);
    if (found == steps_.end()) return;
    hidden_.insert_or_assign(found->first, std::move(found->second));
    steps_.erase(found);
  }
  void remove(const StepPlace& place) { steps_.erase(place); }
  // The step at this place. nullptr: the step did not begin, did not end, or must run again.
  const PastStep* find(const StepPlace& place) const {
    const auto found = steps_.find(place);
    return found == steps_.end() ? nullptr : &found->second;
  }
  // The same, but hidden steps are found, too.
  const PastStep* find_ended(const StepPlace& place) const {
    const auto hidden = hidden_.find(place);
    return hidden == hidden_.end() ? find(place) : &hidden->second;
  }
  // Notes that the step waited for an answer, or contains one that did.
  void note_waiting(const StepPlace& place) { waiting_.insert(place); }
  bool was_waiting(const StepPlace& place) const { return waiting_.contains(place); }
  // True if a later step of the same branch ended.
  bool goes_on_after(const StepPlace& place) const {
    const auto found = last_ended_.find(place.branch);
    return found != last_ended_.end() && found->second > place.sequence;
  }
  // Adds what the prompts of the step used, in all parts of the earlier run; also for steps that must run again.
  void add_usage(const StepPlace& place, const Usage& usage) { usage_.emplace_back(place, usage); }
  // The usage of the step, and of everything that ran inside it.
  Usage used_at(const StepPlace& place) const {
    const std::string inside = beginning_inside(place);
    Usage all;
    for (const auto& [at, usage] : usage_) {
      if (at == place || at.branch.starts_with(inside)) all += usage;
    }
    return all;
  }
  // The usage of all steps of the branch, and of the branches below it.
  Usage used_in(const std::string& branch) const {
    Usage all;
    for (const auto& [at, usage] : usage_) {
      if (at.branch == branch || at.branch.starts_with(branch + '/')) all += usage;
    }
    return all;
  }
  bool has_usage() const { return !usage_.empty(); }

  // Notes why the step cannot be kept, as the beginning of a sentence. Of several reasons, the first one counts.
  void note_outdated(const StepPlace& place, const std::string& why) { outdated_.try_emplace(place, why); }
  // The reason that was noted; nullptr: none.
  const std::string* outdated(const StepPlace& place) const {
    const auto found = outdated_.find(place);
    return found == outdated_.end() ? nullptr : &found->second;
  }

  // Notes which workflow the step has run.
  void note_call(const StepPlace& place, PastCall call) { calls_.insert_or_assign(place, std::move(call)); }
  // The workflow that was noted; nullptr: none.
  const PastCall* call_at(const StepPlace& place) const {
    const auto found = calls_.find(place);
    return found == calls_.end() ? nullptr : &found->second;
  }

  // Notes the values of a combination of a matrix, which has a branch of its own.
  void note_combination(const std::string& branch, const expressions::Value& values) {
    combinations_.insert_or_assign(branch, expressions::to_json(values));
  }
  // False: the combination in this branch was another one, or was not noted.
  bool was_combination(const std::string& branch, const expressions::Value& values) const {
    const auto found = combinations_.find(branch);
    return found != combinations_.end() && found->second == expressions::to_json(values);
  }

  // Notes that the step, or one inside it, ran with another value of this parameter, which the step's action reads.
  void note_changed(const StepPlace& place, const std::string& parameter) { changed_.try_emplace(place, parameter); }
  // The parameter that was noted; nullptr: none.
  const std::string* changed_parameter(const StepPlace& place) const {
    const auto found = changed_.find(place);
    return found == changed_.end() ? nullptr : &found->second;
  }

  std::size_t size() const { return steps_.size(); }

 private:
  void note_end(const StepPlace& place) {
    std::uint64_t& last = last_ended_[place.branch];
    last = std::max(last, place.sequence);
  }
  ByPlace<PastStep> steps_;
  Places judged_;
  Places waiting_;
  ByPlace<PastStep> hidden_;
  std::unordered_map<std::string, std::uint64_t> last_ended_;  // by branch
  std::vector<std::pair<StepPlace, Usage>> usage_;
  ByPlace<std::string> outdated_;
  ByPlace<PastCall> calls_;
  std::unordered_map<std::string, nlohmann::json> combinations_;  // by branch
  ByPlace<std::string> changed_;
};

}  // namespace wtool::host::runner
