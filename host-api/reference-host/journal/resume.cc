
#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "journal/journal_reader.h"
#include "journal/runs_folder.h"

namespace wtool::host::journal {
namespace {

// The steps that run again only because their outputs are not in the journal.
std::string hidden_steps(const RunRecord& run) {
  std::vector<std::string> names;
  for (const StepRecord& step : run.steps) {
    if (!step.end.transitioned || !(step.end.secret || step.masked)) continue;
    if (std::find(names.begin(), names.end(), step.state) == names.end()) names.push_back(step.state);
  }
  return joined(names);
}

// True if the run was started in another directory, whose journal has been moved or copied here.
bool is_elsewhere(const std::string& directory, const std::string& started_in) {
  std::error_code failed;
  return !started_in.empty() && started_in != directory && !std::filesystem::equivalent(started_in, directory, failed);
}

StepRecord* step_at(RunRecord& run, const StepPlace& place) {
  for (StepRecord& step : run.steps) {
    if (step.place == place) return &step;
  }
  return nullptr;
}

// Checks the files of outputs. If the workflow reads a file that no longer has what a step wrote, the step runs again,
// and so do the matrix or the workflow to which the step belongs, and all that follows the step.
void check_files(RunRecord& run, std::vector<std::string>& notices) {
  std::vector<std::string> again;
  for (StepRecord& step : run.steps) {
    if (!step.end.transitioned || step.end.secret || step.masked) continue;
    for (runner::WholeOutput* whole : {&step.end.outcome.whole_output, &step.end.outcome.whole_error}) {
      const std::string problem = whole->file.empty() ? whole->trouble : file_problem(*whole);
      if (problem.empty()) continue;
      whole->file.clear();
      // If the text is complete, the file can be written again from it.
      whole->trouble = whole->cut || whole->lossy ? problem : "";
      if (whole->trouble.empty()) continue;
      if (!whole->wanted) {
        notices.push_back("the whole output of the state " + step.state + " is no longer kept: " + problem);
        continue;
      }
      step.lost = true;
    }
    if (!step.lost) continue;
    if (std::find(again.begin(), again.end(), step.state) == again.end()) again.push_back(step.state);
    for (auto above = parent_of(step.place.branch); above; above = parent_of(above->branch)) {
      StepRecord* parent = step_at(run, *above);
      if (parent != nullptr && (parent->action == "workflow" || !parent->end.outcome.matrix.is_null())) {
        parent->lost_inside = true;
      }
    }
  }
  if (!again.empty()) {
    notices.push_back("the files with the outputs of these states are gone or have changed, so the states run again: " +
                      joined(again));
  }
}

}  // namespace

std::optional<ResumedRun> resume_run(const std::string& directory, const std::string& wanted, const std::string& from,
                                     Journal::Options options, std::string& error) {
  const std::string id = find_run(directory, wanted, error);
  if (id.empty()) return std::nullopt;
  const std::string file = journal_file(directory, id);
  ResumedRun resumed;
  // The journal is locked before it is read, so that it does not change meanwhile.
  resumed.journal = Journal::reopen(file, std::move(options), error);
  if (!resumed.journal) return std::nullopt;
  auto content = read_journal(file, error);
  if (!content) return std::nullopt;
  if (!content->damage.empty()) {
    error = "the run " + id + " cannot be resumed, because its journal is damaged: " + content->damage +
            "; `wtool show " + id + "` shows what can be read; start the workflow again";
    return std::nullopt;
  }
  resumed.run = std::move(content->run);
  resumed.notices = std::move(content->notices);
  if (const std::string& before = resumed.run.directory; is_elsewhere(directory, before)) {
    resumed.notices.push_back("the run " + id + " was started in " + before + ", and continues in " + directory +
                              "; the steps that ended there do not run again");
  }
  std::optional<StepPlace> place;
  if (!from.empty()) {
    place = last_visit(resumed.run, from);
    if (!place) {
      error = never_in(resumed.run, from);
      return std::nullopt;
    }
    drop_from(resumed.run, *place);
  } else if (resumed.run.missed_until) {
    error = "the run " + id + " has ended without reaching " + resumed.run.settings.part.until +
            ", which --until named, so there is nothing to resume; --from STATE runs a part of it again";
    return std::nullopt;
  } else if (resumed.run.status == runner::RunReport::Status::completed) {
    const runner::RunPart& part = resumed.run.settings.part;
    if (part.until.empty()) {
      error = "the run " + id + " has completed" +
              (part.only.empty() ? ", so there is nothing to resume; --from STATE runs a part of it again"
                                 : " the only state that --only named, " + part.only +
                                       ", so there is nothing to resume; `wtool run " + resumed.run.file +
                                       "` runs the whole workflow");
      return std::nullopt;
    }
    // The run has completed the part that --until named. The resumed run continues with the rest of the workflow.
    resumed.run.settings.part.until.clear();
  }
  check_files(resumed.run, resumed.notices);
  resumed.past = past_of(resumed.run);
  if (const std::string names = hidden_steps(resumed.run); !names.empty()) {
    resumed.notices.push_back(
        "the results of these states are secret, or contain secrets, and were not kept, so the states run again: " +
        names);
  }
  error = resumed.journal->go_on_at(content->whole_bytes, place);
  if (!error.empty()) return std::nullopt;
  return resumed;
}

}  // namespace wtool::host::journal
