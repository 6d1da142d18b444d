#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "journal/journal_reader.h"
#include "runner/approval.h"

namespace wtool::host::journal {

using runner::PastRun;
using runner::PastStep;
using runner::Step;

namespace {

// If the step is a combination of a matrix: the values of the combination. Otherwise nullptr.
const expressions::Value* combination_of(const StepRecord& step) {
  if (step.place.sequence != 1) return nullptr;
  for (const auto& [name, value] : step.end.assigned) {
    if (name == "matrix") return &value;
  }
  return nullptr;
}

// Notes the forks that had a failed branch, but whose join let the path continue.
void judge_forks(const RunRecord& run, PastRun& past) {
  std::unordered_map<std::string, std::uint64_t> farthest;  // by branch: its last step that transitioned
  for (const StepRecord& step : run.steps) {
    std::uint64_t& sequence = farthest[step.place.branch];
    if (step.end.transitioned) sequence = std::max(sequence, step.place.sequence);
  }
  for (const StepRecord& step : run.steps) {
    if (step.status != Step::Status::failed || step.end.transitioned) continue;
    std::vector<StepPlace> forks;
    for (auto above = parent_of(step.place.branch); above; above = parent_of(above->branch)) {
      forks.push_back(*above);
      if (farthest[above->branch] <= above->sequence) continue;
      for (const StepPlace& fork : forks) past.judge(fork);
      break;
    }
  }
}

bool is_over(const PastRun& past, const StepPlace& place) {
  for (auto above = parent_of(place.branch); above; above = parent_of(above->branch)) {
    if (past.is_judged(*above)) return true;
  }
  return false;
}

}  // namespace

PastRun past_of(const RunRecord& run) {
  PastRun past;
  for (const auto& [branch, values] : run.dropped_combinations) past.note_combination(branch, values);
  judge_forks(run, past);
  std::size_t order = 0;
  for (const StepRecord& step : run.steps) {
    if (const expressions::Value* values = combination_of(step)) past.note_combination(step.place.branch, *values);
    if (step.call) past.note_call(step.place, *step.call);
    if (step.status == Step::Status::running || !(step.end.transitioned || is_over(past, step.place))) continue;
    // An answer may have come since.
    if (step.end.outcome.error == runner::approval_pending) {
      past.note_waiting(step.place);
      continue;
    }
    PastStep ended{step.state, step.status, step.tries,
                   step.took,  step.end,    known_action(step.action, step.action_sha256),
                   order++};
    if (step.lost) {
      past.note_outdated(step.place, "the output of '" + step.state + "' was lost");
    }
    if (step.end.secret || step.masked || step.lost || step.lost_inside) {
      past.hide(step.place, std::move(ended));
    } else {
      past.add(step.place, std::move(ended));
    }
  }
  for (const auto& [place, usage] : run.usage) past.add_usage(place, usage);
  return past;
}

std::optional<StepPlace> last_visit(const RunRecord& run, const std::string& state) {
  // A combination of a matrix has the name of its state, but it is only a part of the visit.
  const auto found = std::find_if(run.steps.rbegin(), run.steps.rend(), [&](const StepRecord& step) {
    return step.state == state && !step.hidden && !is_combination(run, step);
  });
  return found == run.steps.rend() ? std::nullopt : std::optional(found->place);
}

void drop_from(RunRecord& run, const StepPlace& from) {
  std::erase_if(run.steps, [&](const StepRecord& step) {
    if (!follows(from, step.place)) return false;
    for (const runner::MadeFile& file : step.made_files) run.dropped_files.insert(file.path);
    if (const expressions::Value* values = combination_of(step)) {
      run.dropped_combinations.insert_or_assign(step.place.branch, *values);
    }
    return true;
  });
}

}  // namespace wtool::host::journal
