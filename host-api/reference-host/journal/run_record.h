// The data of a run, finished or not, for reports and `wtool show`. During the run, a RunCollector (run_collector.h)
// fills in what the reports need. Afterwards, a journal's reader fills in all fields, also those about the process, its
// directory and earlier tries. The data does not refer to the workflow object.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "journal/json_value.h"
#include "runner/past_run.h"
#include "runner/run_observer.h"

namespace wtool::host::journal {

using runner::is_inside;
using runner::parent_of;
using runner::StepPlace;

// What follows the last `:` in the name of a branch: the state with which it began, the workflow that it runs, or the
// number of a combination.
std::string_view branch_name(std::string_view branch);

// True if the step at `place` is the one at `from`, or may depend on it. The steps that may depend on it are: all later
// steps of its branch; in each branch above, the step that contains it and all later steps; and the steps below all of
// these, except those in branches that run in parallel to its branch.
bool follows(const StepPlace& from, const StepPlace& place);

struct StepRecord {
  std::uint64_t number = 0;
  std::size_t part = 0;  // of the run: how often the run had been resumed when the step began
  StepPlace place;
  std::string workflow;  // its name; empty: the workflow that was started
  std::string state;
  runner::Step::Status status = runner::Step::Status::running;  // running: it has not ended
  std::int64_t exit_code = 0;
  int tries = 1;
  bool replayed = false;     // kept from before the run was resumed
  bool up_to_date = false;   // nothing was run, because an earlier run had done the same
  bool masked = false;       // a secret in its results has been replaced
  bool lost = false;         // a file with its output, which the workflow reads, is gone or has changed
  bool lost_inside = false;  // the same of a step inside it
  bool hidden = false;       // its state is the end of a composite state, and no file names it
  std::string node{};        // the node of a cluster on which the last call ran; empty: this machine
  std::string action;        // shell, tool, log, ...; empty: the state has no action
  // As in workflow::Action; empty: there is no action, or the journal does not say it.
  std::string action_sha256{};
  Moment began;
  std::chrono::steady_clock::duration took{};
  // The tries that failed and were followed by another one. Those of a secret step are without outputs.
  std::vector<runner::Outcome> earlier_tries;
  std::vector<runner::KeptFile> kept_files{};
  std::vector<runner::MadeFile> made_files{};
  std::optional<runner::PastCall> call{};  // the workflow that it ran last
  runner::StepEnd end;
  // The place of the record of its end in the journal; 0: it has not ended, or is in no journal.
  std::uint64_t line = 0;
};

// The hash of a step's action, from the fields of its record; empty: the state has no action. Nothing: the journal does
// not say it.
inline std::optional<std::string> known_action(const std::string& action, std::string sha256) {
  if (!action.empty() && sha256.empty()) return std::nullopt;
  return sha256;
}

struct RunLogRecord {
  Moment at;
  std::uint64_t step = 0;  // its number; 0: a notice, which belongs to no step
  workflow::LogAction::Level level = workflow::LogAction::Level::info;
  std::string text;
  std::uint64_t line = 0;  // the place of its record in the journal; 0: it is in no journal
};

// A part of a run, which begins when the run is started, and each time it is resumed.
struct PartRecord {
  std::string sha256;  // of the file's text
  runner::PastInputs inputs;
};

struct RunRecord {
  std::string run;
  std::string name;
  std::string file;
  std::string directory;
  std::string host;
  std::int64_t pid = 0;
  std::int64_t pid_namespace = 0;  // of the process that started the run, not of one that resumed it; 0: not known
  // What the run was given when it was started, or last resumed. `policy` is the newest that the run had. `traceparent`
  // is not recorded.
  runner::RunSettings settings{};
  std::map<std::string, expressions::Value> inputs;
  std::vector<std::string> secret_inputs;  // names of the secret inputs that differ from their default; `inputs` has
                                           // no secret inputs
  std::vector<std::string> masked_inputs;  // names of the inputs that are incomplete, because a secret in them was
                                           // replaced
  std::vector<PartRecord> parts{};         // by StepRecord::part
  Moment began;
  std::chrono::steady_clock::duration took{};
  int resumed = 0;                                  // how often the run was resumed
  std::optional<runner::RunReport::Status> status;  // nothing: the run is not known to have ended
  std::string reason;
  bool refused = false;
  bool missed_until = false;      // it failed only because its path ended before it came to the state of --until
  std::vector<StepRecord> steps;  // one for each place, in the order in which the steps began
  // Files that steps made which have been dropped since, and that no later step has made.
  std::set<std::string> dropped_files{};
  // The values of combinations that drop_from() has removed, by branch: what is below them may stay.
  std::map<std::string, expressions::Value> dropped_combinations{};
  std::vector<RunLogRecord> logs;
  // What prompts used, in the order of the records, in all parts of the run; includes steps that have been dropped
  // since.
  std::vector<std::pair<StepPlace, runner::Usage>> usage{};

  // The hash of the file's text when the run was started, or last resumed; empty: it is not known.
  std::string sha256() const { return parts.empty() ? "" : parts.back().sha256; }
};

// The steps in the order of the workflow: along each path, and one branch after the other, in the order in which their
// fork names them. This order is the same whatever ran side by side, and in a resumed run. `run` must outlive the result.
std::vector<const StepRecord*> in_workflow_order(const RunRecord& run);

// True if the run was in this state in the branch.
bool came_to(const RunRecord& run, std::string_view state, std::string_view branch);

// The message for a state that the run was never in, with the state that was probably meant.
std::string never_in(const RunRecord& run, const std::string& state, const std::string& branch = {});

// The number by which the kernel identifies this process's pid namespace; 0: it is not known.
std::int64_t own_pid_namespace();

// The sum of all usage of the run.
runner::Usage total_usage(const RunRecord& run);

inline const char* word(runner::Step::Status status) {
  switch (status) {
    case runner::Step::Status::succeeded:
      return "succeeded";
    case runner::Step::Status::failed:
      return "failed";
    case runner::Step::Status::aborted:
      return "aborted";
    case runner::Step::Status::running:
      break;
  }
  return "running";
}

// A state without an action cannot succeed: the run only passed through it. But a join can fail, and is shown as
// failed.
inline const char* status_word(runner::Step::Status status, bool acts) {
  return status == runner::Step::Status::succeeded && !acts ? "passed" : word(status);
}
inline const char* status_word(const StepRecord& step) { return status_word(step.status, !step.action.empty()); }

// True if the step, or one that it contains, waits for an approval. Its status is then `aborted`, but people and
// programs get `waiting_word`.
bool waits(const RunRecord& run, const StepRecord& step);
inline constexpr const char* waiting_word = "waiting";
// The same for a run that is still going on. Its steps must be passed in the order in which they end; steps end after
// what they contain.
class WaitingSteps {
 public:
  bool waits(const runner::Step& step, const runner::StepEnd& end);

 private:
  std::vector<std::string> branches_;  // of steps that wait
};

inline const char* word(runner::RunReport::Status status) {
  switch (status) {
    case runner::RunReport::Status::completed:
      return "completed";
    case runner::RunReport::Status::failed:
      return "failed";
    case runner::RunReport::Status::suspended:
      return "suspended";
    case runner::RunReport::Status::aborted:
      break;
  }
  return "aborted";
}

inline const char* word(workflow::LogAction::Level level) {
  switch (level) {
    case workflow::LogAction::Level::info:
      return "info";
    case workflow::LogAction::Level::warning:
      return "warning";
    case workflow::LogAction::Level::error:
      break;
  }
  return "error";
}

inline const char* word(runner::ServiceEvent::Kind kind) {
  switch (kind) {
    case runner::ServiceEvent::Kind::started:
      return "started";
    case runner::ServiceEvent::Kind::ready:
      return "ready";
    case runner::ServiceEvent::Kind::restarting:
      return "restarting";
    case runner::ServiceEvent::Kind::ended:
      break;
  }
  return "ended";
}

// The line about an event of a service in the logs of a run.
RunLogRecord service_log(Moment at, std::uint64_t step, std::string_view event, bool failed, std::string_view message);

}  // namespace wtool::host::journal
