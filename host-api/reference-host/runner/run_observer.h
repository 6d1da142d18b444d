// The events of a run, for its observers (progress, the journal, reports, tests), and the result of a run.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loader/tool_caller.h"
#include "runner/outcome.h"
#include "runner/run_part.h"
#include "runner/step_place.h"
#include "runner/usage.h"
#include "workflow/model/model.h"

namespace wtool::host::runner {

// A copy of a file that a step has made, kept because of keep=[...].
struct KeptFile {
  std::string path;  // below the directory of the step; with \xNN for each byte if it is not UTF-8
  std::string copy;  // beside the journal; empty: it is gone, because it has a secret or somebody has removed it
  std::uint64_t bytes = 0;
};

// A file that a step has made, as its outputs=[...] name it.
struct MadeFile {
  std::string path;    // relative to the directory of the run, if it is below that
  std::string sha256;  // of its content; empty: it is a link that leads to no file
};

// One visit of a state.
struct Step {
  enum class Status { running, succeeded, failed, aborted };
  std::uint64_t number = 0;  // from 1, in the order in which they began; unique in a run
  const workflow::Workflow* workflow = nullptr;
  std::size_t state = workflow::no_state;  // index into workflow->states
  std::string branch;                      // `branch` and `sequence` are its place (step_place.h)
  std::uint64_t sequence = 0;
  Status status = Status::running;
  std::int64_t exit_code = 0;
  int tries = 1;            // 0: the action was not tried, because the state has had its `max` visits
  bool secret = false;      // a step with `secret` runs its workflow
  bool replayed = false;    // taken from the journal of the run that this one resumes; nothing was run
  bool up_to_date = false;  // nothing was run, because an earlier run has done the same (cache/step_cache.h)
  std::chrono::steady_clock::time_point began;
  std::chrono::steady_clock::duration took{};
  // Set at the end of the step if the text of one of its outputs has only a part of the output.
  std::shared_ptr<const std::pair<WholeOutput, WholeOutput>> cut{};
  std::vector<KeptFile> kept_files{};
  std::vector<MadeFile> made_files{};  // empty unless the step has succeeded

  const workflow::State& of() const { return workflow->states[state]; }
  StepPlace place() const { return {branch, sequence}; }
};

// True if the step's action is marked as secret.
inline bool is_secret_itself(const Step& step) {
  const auto& action = step.of().action;
  if (!action) return false;
  const auto* set = std::get_if<workflow::SetAction>(&action->kind);
  return action->options.secret || (set != nullptr && set->secret);
}

// True if none of the step's results may be shown: its action, or a step that runs its workflow, is marked as secret. A
// question stays visible inside such a workflow, because a person must be able to read it.
inline bool gives_secrets(const Step& step) {
  const auto& action = step.of().action;
  const bool asks = action && std::holds_alternative<workflow::ApproveAction>(action->kind);
  return is_secret_itself(step) || (step.secret && !asks);
}

// True if the step may end without a call because it is up to date. False for a step with a lock: it may wait long for
// the lock, and its beginning must be known by then.
inline bool may_be_up_to_date(const Step& step) {
  const auto& action = step.of().action;
  return action && action->options.cache.is_on() && !action->options.lock;
}

// How a step ended.
struct StepEnd {
  Outcome outcome;
  // For a Shell, a prompt or a service: the command, with its values filled in. For a tool call: the name and the
  // arguments of the tool. Otherwise empty.
  std::string command;
  std::vector<std::pair<std::string, expressions::Value>> assigned;  // by Set, or by the agent of a prompt
  bool ends_workflow = false;                                        // as in ActionResult
  std::string result_name;                                           // what result="..." names; may be empty
  bool secret = false;                                               // its outputs must not be shown or kept
  // True if the path left the state. A step without a transition runs again when the run is resumed.
  bool transitioned = false;
  std::vector<std::string> next;  // where the path went: names of states, [*] for the end
  // Why a join, or the end of a composite state, failed although its action succeeded: a step before it had failed.
  // Otherwise empty. The outcome is that of the action.
  std::string failed_before{};

  // Why the step failed, or what its outcome says.
  const std::string& message() const { return failed_before.empty() ? outcome.message : failed_before; }
};

// The step that a failed or aborted run ended in.
struct LastStep {
  std::string state;
  std::string command;  // as in StepEnd
  Outcome outcome;
  bool handled = false;  // an arrow `always` was taken after its failure
};

// The policy of `wtool mcp` under which a run was started. Whoever continues the run is held to it, too.
struct RunPolicy {
  std::string name{};  // "project" or "read-only"; empty: none, and only the configuration counts
  std::string root{};  // absolute; the folder to which commands are confined
  bool network = false;
  bool operator==(const RunPolicy&) const = default;
};

struct RunSettings {
  std::size_t max_parallel = 0;   // calls that run at the same time; 0: no limit
  std::optional<bool> fail_fast;  // overrides the setting of the workflow
  bool force = false;             // also runs the steps that are up to date
  std::string on{};               // "cluster" if steps that name no place run on a cluster; empty: on this machine
  std::string traceparent{};      // W3C trace context that all its calls belong to; empty: none
  RunPart part{};                 // to which the workflow has already been cut

  // The run itself does not use the members below. The journal records them for a resumed run.
  std::string jobs{};                    // the name of the run's jobs on a cluster; empty: it submits none
  std::vector<std::string> env_files{};  // of --env-file
  RunPolicy policy{};
  bool server = false;  // a process that serves clients runs it, as one of their calls
};

struct RunStart {
  std::string run;   // its id; empty: it has none
  std::string name;  // of the workflow, for people
  std::string file;
  const workflow::Workflow* workflow = nullptr;
  const workflow::Source* source = nullptr;
  std::map<std::string, expressions::Value> inputs;
  std::vector<std::string> masked_inputs{};  // names of the inputs in which a secret has been replaced
  bool resumed = false;
  RunSettings settings{};
};

struct RunReport {
  // suspended: an Approve waits for its answer, and the run continues after it.
  enum class Status { completed, failed, aborted, suspended };
  Status status = Status::completed;
  std::string reason;    // one sentence; empty when completed
  bool refused = false;  // it failed because policy, or the person who was asked, refused a command
  // It failed only because its path ended before it came to the state that --until names.
  bool missed_until = false;
  std::vector<Step> steps;
  std::optional<LastStep> last;
  std::chrono::steady_clock::duration took{};
};

// What happens to a service after its step has begun, and also after that step has ended.
struct ServiceEvent {
  enum class Kind { started, ready, restarting, ended };
  Kind kind = Kind::started;
  bool failed = false;         // it has ended by itself, or was never ready
  std::int64_t exit_code = 0;  // of its command, if that has ended
  std::string message{};       // one sentence
  std::string log{};           // the file with its output; empty: there is no file
};

// For each branch, the functions are called in order, on the thread that runs the branch. service(), and output() of a
// service, are called on the service's threads, even after its step has ended. Calls may come at the same time.
// Arguments are valid until the function returns, and workflows until the run has ended. The functions must not throw.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void run_started(const RunStart& /*start*/) {}
  // The steps of the branch, and of the branches below it, belong to one combination of a matrix. `values` is a map
  // with the values of the combination by their names. Called before the first of these steps.
  virtual void combination_begun(const std::string& /*branch*/, const expressions::Value& /*values*/) {}
  virtual void state_entered(const Step& /*step*/) {}
  // The step runs another workflow. Only `name`, `workflow` and `inputs` of `start` are set.
  virtual void workflow_begun(const Step& /*step*/, const RunStart& /*start*/) {}
  // The step's tool is called next, or something before that takes time: a wait for a free place, or a look at large
  // files, after which the step may still be up to date. Not called if the step is found to be up to date, or fails,
  // without either. Called for each call, so again for each try, and each time that a prompt is asked again.
  virtual void work_begins(const Step& /*step*/) {}
  // The tool reports the state of the step's call, such as that the call waits for a node or has started. Not every
  // tool reports states.
  virtual void call_state(const Step& /*step*/, const CallState& /*state*/) {}
  virtual void output(const Step& /*step*/, bool /*is_error_stream*/, std::string_view /*bytes*/) {}
  virtual void logged(const Step& /*step*/, workflow::LogAction::Level /*level*/, std::string_view /*text*/) {}
  // Called on the threads of services, even after the service's step has ended, but before the run has.
  virtual void service(const Step& /*step*/, const ServiceEvent& /*event*/) {}
  // The try `step.tries` has failed; the next one begins after `wait`.
  virtual void retrying(const Step& /*step*/, const Outcome& /*outcome*/, std::chrono::milliseconds /*wait*/) {}
  // What a prompt of the step uses: the call is reported before it begins, tokens and cost when it has ended.
  virtual void used(const Step& /*step*/, const Usage& /*usage*/) {}
  virtual void state_ended(const Step& /*step*/, const StepEnd& /*end*/) {}
  // Of the run that this one resumes, no more steps are taken. `kept` are the places of those that were taken. Called
  // before the next step begins.
  virtual void past_forgotten(const std::vector<StepPlace>& /*kept*/) {}
  // The same for the branches whose names, with a `/` at their end, begin with `beginning`: none of their steps is taken.
  virtual void branches_forgotten(const std::string& /*beginning*/) {}
  // People should know something: two branches have set the same variable, the journal does not match the workflow, ...
  virtual void noticed(std::string_view /*text*/) {}
  virtual void run_ended(const RunReport& /*report*/) {}
};

}  // namespace wtool::host::runner
