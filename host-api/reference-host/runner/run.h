// What all branches of a run share.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runner/budget.h"
#include "runner/output_claims.h"
#include "runner/run_request.h"
#include "runner/waiting.h"

namespace wtool::host::runner {

class Services;

// Any thread may call any member.
class Run {
 public:
  explicit Run(const RunRequest& request);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();

  const RunRequest& request() const { return request_; }
  RunObserver& observer() const { return request_.observer; }
  // True if a failure of one branch of a fork, or of one combination of a matrix, ends the others.
  bool fails_fast(const workflow::Workflow& workflow) const {
    return request_.settings.fail_fast.value_or(workflow.fail_fast.value_or(true));
  }
  Semaphore& semaphore() { return semaphore_; }
  Services& services() { return *services_; }

  // Makes a step, and gives it its number. The caller reports the step to observers, as soon as it knows whether the
  // step is a replayed one.
  Step begin_step(const WorkflowInvocation& invocation, std::size_t state, const StepPlace& place);
  // Ends the step; `end` says how.
  void end_step(Step& step, const StepEnd& end);

  // How the step ended in the run that this one resumes; nullptr: it must be run. `changed_call` is that of steps.h, and
  // is called only for a step that runs a workflow.
  const PastStep* past(const StepPlace& place, const workflow::State& state,
                       const std::function<std::string()>& changed_call = {});
  // True if, in the run that this one resumes, the join of the fork let the path continue even though a branch had
  // failed.
  bool past_is_judged(const StepPlace& place) const;
  // True if the earlier run ended while this step was still running, or before the step had begun. False if the step
  // waited for an answer then.
  bool past_ended_before(const StepPlace& place) const;
  // Call it when a step that ended leads on to `now` (empty: its branch ends there). If it led elsewhere in the earlier
  // run, and that run continued, also behind a fork around the step, calls forget_past(): the steps that follow are not
  // those of this path.
  void compare_ways(const Step& step, const std::vector<std::string>& now);
  // Call it if the earlier run took a different path, or had another action here. From then on, every step is run.
  void forget_past(const std::string& why);
  // Call it if what runs in these branches is not what ran there in the earlier run, such as inside a step in its second
  // try, or in another combination of a matrix. Nothing in a branch whose name, with a `/` at its end, begins like this
  // is taken from the earlier run any more.
  void forget_branches(std::string beginning);
  // True if steps may still be taken from the run that this one resumes.
  bool has_past() const { return has_past_.load(std::memory_order_relaxed); }

  // The stop of the whole run, requested by the host or by an Abort of a workflow.
  Stop& stop() { return stop_.stop(); }
  // Ends every branch of the run.
  void abort(const std::string& reason) { stop().request(StopHow::graceful, reason); }

  void hide(const std::string& value);
  // Hides each text and number in the value. Those shorter than `shortest`, in bytes, stay.
  void hide(const expressions::Value& value, std::size_t shortest = 0);
  // Hides what a secret step has printed and answered, and what can be read from that: texts and numbers in JSON, and
  // texts in the metadata of a called tool.
  void hide(const Step& step, const Outcome& outcome);
  // Guards the meters of all workflows of the run.
  std::mutex& usage_mutex() { return usage_mutex_; }
  // The steps in the order in which they began.
  std::vector<Step> take_steps();
  OutputClaims& output_claims() { return output_claims_; }

  // Remembers that a path is in this state. came_to_until() is true once the state that --until names was among them, on the
  // path of the whole workflow or in `finally`: other branches cannot end the run.
  void entered(const std::string& state, const std::string& branch);
  bool came_to_until() const { return came_to_until_; }

  // True if this is a resumed run in which steps of this branch have run again, whatever the earlier run had of them.
  bool repeats_steps(const std::string& branch) const;

 private:
  // True if steps of this branch may be taken from the earlier run.
  bool has_past_in(const std::string& branch) const;

  const RunRequest& request_;
  ChildStop stop_;
  Semaphore semaphore_;
  std::mutex usage_mutex_;
  mutable std::mutex mutex_;
  std::vector<Step> steps_;  // by number; only the first max_steps_kept are kept
  std::uint64_t begun_ = 0;
  std::atomic<bool> came_to_until_{false};
  std::atomic<bool> has_past_;
  std::vector<std::string> forgotten_;  // how the names of branches begin from which nothing is taken any more
  std::vector<StepPlace> kept_;         // the steps that were taken from the earlier run
  const std::unique_ptr<Services> services_;
  OutputClaims output_claims_;
};

// One workflow that is being run: the root, or one that an action of another workflow runs.
struct WorkflowInvocation {
  WorkflowInvocation(Run& its_run, const workflow::Workflow& its_workflow, const workflow::Source& its_source,
                     const WorkflowInvocation* its_parent, workflow::Placement its_place = {}, bool is_secret = false)
      : run(its_run),
        workflow(its_workflow),
        source(its_source),
        parent(its_parent),
        depth(its_parent == nullptr ? 0 : its_parent->depth + 1),
        finally(its_workflow.index_of(its_workflow.finally.name)),
        reads_output_files((its_parent != nullptr && its_parent->reads_output_files) ||
                           its_source.text().find("stdout_file") != std::string_view::npos ||
                           its_source.text().find("stderr_file") != std::string_view::npos),
        place(std::move(its_place)),
        secret(is_secret),
        counts_usage((its_parent != nullptr && its_parent->counts_usage) || its_workflow.budget.any() ||
                     its_source.text().find("budget") != std::string_view::npos),
        visits(its_workflow.states.size()) {}

  Run& run;
  const workflow::Workflow& workflow;
  const workflow::Source& source;
  const WorkflowInvocation* parent;  // the workflow that runs this one; nullptr: none
  std::size_t depth;
  std::size_t finally;  // no_state: none
  // True if the text of this workflow, or of one that runs it, mentions stdout_file or stderr_file. If so, every output
  // is written to a file.
  bool reads_output_files;
  workflow::Placement place;  // where steps that name no place run; empty: in the place that the host was given
  bool secret;                // a step with `secret` runs this workflow, so all its steps are secret, too
  bool counts_usage;          // this workflow, or one that runs it, has or reads a budget, so `budget` is kept current
  mutable Meter meter;        // what its prompts have used
  mutable std::vector<std::atomic<std::int64_t>> visits;  // by state; counted only for states with max=N
  mutable std::atomic<bool> finally_entered{false};
  mutable std::atomic<bool> completed{false};    // its path has come to its end; only `finally` is left
  mutable std::atomic<std::int64_t> entered{0};  // how many states all branches have entered
};

// How deep the forks of one workflow may be nested. Each fork takes threads, and a branch may lead back to its own
// fork.
inline constexpr std::size_t max_forks_depth = 100;

// What a branch inherits from the forks around it.
struct Lineage {
  // True if the branch had already ended in the run that is resumed, and the path had continued after the join.
  bool over = false;
  std::size_t forks = 0;                  // how many forks are around it
  std::size_t fork = workflow::no_state;  // the innermost of these forks, at which the branch begins
};

Step::Status status_of(const Outcome& outcome);

// How a path through a workflow ended.
struct BranchResult {
  enum class Kind {
    ended,    // at [*]
    joined,   // at the join where it was to end
    failed,   // by an unhandled failure, by a mistake, ..., or because no exit is open; `reason` says which
    aborted,  // by a stop, or by an Abort
  };
  Kind kind = Kind::ended;
  std::string reason;
  bool refused = false;       // failed because policy, or a person who was asked, refused a command
  bool fatal = false;         // failed by a refusal, a mistake or a limit: the failure ends every level around it
  bool with_failure = false;  // joined: a failure led the path to the join, whose exits may handle it
  bool by_action = false;     // aborted by an action Abort of the workflow
  bool suspended = false;     // aborted because an Approve waits for its answer
  bool names_arrow = false;   // `reason` already names an arrow that is taken only after a success
  std::optional<LastStep> last;
};

}  // namespace wtool::host::runner
