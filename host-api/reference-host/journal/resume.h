// What is needed to continue an earlier run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.h"
#include "journal/run_record.h"
#include "runner/past_run.h"

namespace wtool::host::journal {

struct ResumedRun {
  std::unique_ptr<Journal> journal;  // locked, and ready to be gone on with
  RunRecord run;                     // as it was: its file, its inputs, its steps without those that run again
  runner::PastRun past;
  std::vector<std::string> notices;  // for people, before the run goes on
};

// `wanted` is as in find_run (journal/runs_folder.h). `from`: a state, from whose last visit on everything runs again;
// empty: only steps that are not done. Nothing: `error` says why the run cannot be resumed, and what to do.
std::optional<ResumedRun> resume_run(const std::string& directory, const std::string& wanted, const std::string& from,
                                     Journal::Options options, std::string& error);

}  // namespace wtool::host::journal
