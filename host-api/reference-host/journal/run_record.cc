#include "journal/run_record.h"

#include <sys/stat.h>
#include <algorithm>
#include <charconv>
#include <limits>

#include "base/edit_distance.h"
#include "runner/approval.h"

namespace wtool::host::journal {

using runner::Step;
using workflow::LogAction;

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

std::string never_in(const RunRecord& run, const std::string& state, const std::string& branch) {
  std::vector<std::string> visited;
  for (const StepRecord& step : run.steps) {
    if (!step.hidden) visited.push_back(step.state);
  }
  const std::string& until = run.settings.part.until;
  return "the run " + run.run + " was never in the state \"" + state + "\"" +
         (branch.empty() ? "" : " in the branch \"" + branch + "\"") +
         question_then(
             did_you_mean(state, visited),
             run.status == runner::RunReport::Status::completed && !until.empty()
                 ? "it ended after " + until + ", as --until said, and `wtool resume " + run.run + "` continues it"
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

std::int64_t own_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? static_cast<std::int64_t>(status.st_ino) : 0;
}

runner::Usage total_usage(const RunRecord& run) {
  runner::Usage all;
  for (const auto& [place, usage] : run.usage) all += usage;
  return all;
}

}  // namespace wtool::host::journal
