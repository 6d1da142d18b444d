#include "journal/run_record.h"

#include <sys/stat.h>
#include <algorithm>
#include <charconv>
#include <limits>

#include "base/edit_distance.h"
#include "journal/record.h"
#include "runner/approval.h"
#include "terminal/text.h"

namespace wtool::host::journal {

using runner::Outcome;
using runner::Step;
using std::chrono::system_clock;
using workflow::LogAction;

bool may_end_by_until(std::string_view branch) { return branch.empty() || branch == runner::finally_branch; }

bool WaitingSteps::waits(const Step& step, const runner::StepEnd& end) {
  if (step.status != Step::Status::aborted) return false;
  if (end.outcome.error == runner::approval_pending) {
    branches_.push_back(step.branch);
    return true;
  }
  const StepPlace place = step.place();
  return std::any_of(branches_.begin(), branches_.end(),
                     [&](const std::string& branch) { return is_inside(branch, place); });
}

bool waits(const RunRecord& run, const StepRecord& step) {
  if (step.status != Step::Status::aborted) return false;
  if (step.end.outcome.error == runner::approval_pending) return true;
  return std::any_of(run.steps.begin(), run.steps.end(), [&](const StepRecord& other) {
    return is_inside(other.place.branch, step.place) && other.end.outcome.error == runner::approval_pending;
  });
}

bool came_to(const RunRecord& run, std::string_view state, std::string_view branch) {
  return std::any_of(run.steps.begin(), run.steps.end(),
                     [&](const StepRecord& step) { return step.place.branch == branch && step.state == state; });
}

bool reached_until(const RunRecord& run) {
  return run.until.empty() || std::any_of(run.steps.begin(), run.steps.end(), [&](const StepRecord& step) {
           return may_end_by_until(step.place.branch) && step.state == run.until;
         });
}

bool missed_its_until(const RunRecord& run) {
  return run.status == runner::RunReport::Status::completed && !reached_until(run);
}

std::string missed_until(const std::string& until) {
  return "the run ended without reaching " + until + ", which --until names";
}

std::string never_in(const RunRecord& run, const std::string& state, const std::string& branch) {
  std::vector<std::string> visited;
  for (const StepRecord& step : run.steps) {
    if (!step.hidden) visited.push_back(step.state);
  }
  return "the run " + run.run + " was never in the state \"" + state + "\"" +
         (branch.empty() ? "" : " in the branch \"" + branch + "\"") +
         question_then(
             did_you_mean(state, visited),
             run.status == runner::RunReport::Status::completed && !run.until.empty() && reached_until(run)
                 ? "it ended after " + run.until + ", as --until said, and `wtool resume " + run.run + "` continues it"
                 : "`wtool show " + run.run + "` lists its states");
}

std::string_view branch_name(std::string_view branch) {
  const std::size_t colon = branch.rfind(':');
  return colon == std::string_view::npos ? branch : branch.substr(colon + 1);
}

bool follows(const StepPlace& from, const StepPlace& place) {
  // Goes up from the place to the branch of `from`, or to a branch above it.
  for (std::optional<StepPlace> at = place; at; at = parent_of(at->branch)) {
    if (at->branch == from.branch) return at->sequence >= from.sequence;
    for (auto above = parent_of(from.branch); above; above = parent_of(above->branch)) {
      if (at->branch != above->branch) continue;
      // Below step 0 are the states of `on failure` and `finally`, which come after all other steps.
      if (above->sequence == 0) return false;
      // Branches that run in parallel to that of `from` are below the same step, but do not depend on `from`.
      return at->sequence > above->sequence || (at->sequence == above->sequence && *at == place);
    }
  }
  return false;
}

namespace {

// Gives each step its place in the order of the workflow.
class WorkflowOrder {
 public:
  explicit WorkflowOrder(const std::vector<StepRecord>& steps) {
    for (const StepRecord& step : steps) at_.emplace(step.place, &step);
    for (const StepRecord& step : steps) arrived_.emplace(step.place.branch, arrived_.size());
  }

  // From the outermost branch inwards: the number of the step, and which of its branches leads to the place.
  using Path = std::vector<std::pair<std::uint64_t, std::size_t>>;
  Path path_of(const StepPlace& place) const {
    Path path = {{place.sequence, 0}};
    std::string branch = place.branch;
    for (auto above = parent_of(branch); above; above = parent_of(branch)) {
      // Below step 0 are the states of `on failure` and `finally`, which come after all other steps.
      path.emplace_back(above->sequence == 0 ? std::numeric_limits<std::uint64_t>::max() : above->sequence,
                        rank(branch, *above));
      branch = above->branch;
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

 private:
  // 0 is the step itself, which comes before what it contains.
  std::size_t rank(const std::string& branch, const StepPlace& above) const {
    const std::string_view name = branch_name(branch);
    const auto found = at_.find(above);
    if (found != at_.end()) {
      const std::vector<std::string>& next = found->second->end.next;
      const auto named = std::find(next.begin(), next.end(), name);
      if (named != next.end()) return static_cast<std::size_t>(named - next.begin()) + 1;
    }
    std::size_t number = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), number);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size()) return number + 1;  // of a combination
    // The fork has not ended, or the journal does not say where it led.
    const auto first = arrived_.find(branch);
    return first == arrived_.end() ? 1 : first->second + 1;
  }

  runner::ByPlace<const StepRecord*> at_;
  std::map<std::string, std::size_t> arrived_;
};

}  // namespace

std::vector<const StepRecord*> in_workflow_order(const RunRecord& run) {
  const WorkflowOrder order(run.steps);
  std::vector<std::pair<WorkflowOrder::Path, const StepRecord*>> paths;
  paths.reserve(run.steps.size());
  for (const StepRecord& step : run.steps) paths.emplace_back(order.path_of(step.place), &step);
  std::stable_sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const StepRecord*> steps;
  steps.reserve(paths.size());
  for (const auto& [path, step] : paths) steps.push_back(step);
  return steps;
}

RunLogRecord service_log(Moment at, std::uint64_t step, std::string_view event, bool failed, std::string_view message) {
  std::string text = "service " + std::string(event);
  if (!message.empty()) text += (event == word(runner::ServiceEvent::Kind::ready) ? " " : ": ") + std::string(message);
  const LogAction::Level level = !failed                                                 ? LogAction::Level::info
                                 : event == word(runner::ServiceEvent::Kind::restarting) ? LogAction::Level::warning
                                                                                         : LogAction::Level::error;
  return {at, step, level, std::move(text)};
}

RunRecord RunCollector::record() const {
  const std::lock_guard lock(mutex_);
  return run_;
}

void RunCollector::run_started(const runner::RunStart& start) {
  const std::lock_guard lock(mutex_);
  root_ = start.workflow;
  run_.run = start.run;
  run_.name = start.name;
  run_.file = start.file;
  run_.resumed = start.resumed ? 1 : 0;
  run_.began = system_clock::now();
  run_.until = start.settings.part.until;
  run_.only = start.settings.part.only;
  run_.inputs = start.inputs;
  run_.masked_inputs = start.masked_inputs;
  if (start.workflow == nullptr) return;
  for (const workflow::Parameter& parameter : start.workflow->parameters) {
    const auto found = run_.inputs.find(parameter.name);
    if (!parameter.secret || found == run_.inputs.end()) continue;
    if (runner::must_be_given_again(parameter, found->second)) run_.secret_inputs.push_back(parameter.name);
    run_.inputs.erase(found);
  }
}

void RunCollector::state_entered(const Step& step) {
  const std::lock_guard lock(mutex_);
  index_[step.number] = run_.steps.size();
  StepRecord& kept = run_.steps.emplace_back();
  kept.number = step.number;
  kept.place = step.place();
  kept.workflow = workflow_of(step, root_);
  kept.state = step.of().id;
  kept.action = action_word(step.of());
  if (step.of().action) kept.action_sha256 = step.of().action->sha256;
  kept.hidden = step.of().hidden;
  kept.replayed = step.replayed;
  kept.began = system_clock::now();
}

void RunCollector::call_state(const Step& step, const CallState& state) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(step.number);
  if (found != index_.end() && !state.node.empty()) run_.steps[found->second].node = state.node;
}

void RunCollector::logged(const Step& step, LogAction::Level level, std::string_view text) {
  const std::lock_guard lock(mutex_);
  run_.logs.push_back({system_clock::now(), step.number, level, std::string(text)});
}

void RunCollector::service(const Step& step, const runner::ServiceEvent& event) {
  const std::lock_guard lock(mutex_);
  run_.logs.push_back(service_log(system_clock::now(), step.number, word(event.kind), event.failed,
                                  gives_secrets(step) ? "" : event.message));
}

void RunCollector::retrying(const Step& step, const Outcome& outcome, std::chrono::milliseconds wait) {
  const std::string why = outcome.message.empty() || gives_secrets(step)
                              ? "exit code " + std::to_string(outcome.exit_code)
                              : outcome.message;
  logged(step, LogAction::Level::warning,
         "try " + std::to_string(step.tries) + " failed: " + why + "; the next try begins in " + duration_text(wait));
}

void RunCollector::used(const Step& step, const runner::Usage& usage) {
  const std::lock_guard lock(mutex_);
  run_.usage.emplace_back(step.place(), usage);
}

void RunCollector::state_ended(const Step& step, const runner::StepEnd& end) {
  const std::lock_guard lock(mutex_);
  const auto found = index_.find(step.number);
  if (found == index_.end()) return;
  StepRecord& kept = run_.steps[found->second];
  kept.status = step.status;
  kept.exit_code = step.exit_code;
  kept.tries = step.tries;
  kept.replayed = step.replayed;
  kept.up_to_date = step.up_to_date;
  kept.took = step.took;
  kept.kept_files = step.kept_files;
  kept.made_files = step.made_files;
  kept.end = end;
  kept.end.secret |= gives_secrets(step);
  if (!kept.end.secret) return;
  Outcome& outcome = kept.end.outcome;
  outcome.standard_output.clear();
  outcome.standard_error.clear();
  outcome.message.clear();
  outcome.metadata = outcome.variables = outcome.matrix = outcome.answer = {};
  kept.end.assigned.clear();
}

void RunCollector::noticed(std::string_view text) {
  const std::lock_guard lock(mutex_);
  run_.logs.push_back({system_clock::now(), 0, LogAction::Level::warning, std::string(text)});
}

std::int64_t own_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? static_cast<std::int64_t>(status.st_ino) : 0;
}

runner::Usage total_usage(const RunRecord& run) {
  runner::Usage all;
  for (const auto& [place, usage] : run.usage) all += usage;
  return all;
}

void RunCollector::run_ended(const runner::RunReport& report) {
  const std::lock_guard lock(mutex_);
  run_.status = report.status;
  run_.reason = report.reason;
  run_.refused = report.refused;
  run_.took = report.took;
}

}  // namespace wtool::host::journal
