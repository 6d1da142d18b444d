// Reads the journal of a run, however the run ended: to show the run, to find its outputs, and to resume it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.h"
#include "journal/run_record.h"
#include "runner/past_run.h"

namespace wtool::host::journal {

struct JournalContent {
  RunRecord run;
  std::uint64_t whole_bytes = 0;     // up to the end of the last whole line
  std::vector<std::string> notices;  // what people should know, such as a torn last line
  // What is wrong with the first line that is not a record; if set, the run cannot be resumed.
  std::string damage;
};

// Reads the whole journal. Nothing: `error` says why the run cannot be shown. `runs_at` is as in RecordReader::finish
// (journal/record.h).
std::optional<JournalContent> read_journal(const std::string& file, std::string& error,
                                           std::optional<Moment> runs_at = {});

// Like read_journal(), but faster, for lists of many runs: parses only the beginning of the journal, its end, and the
// records of resumptions. The result has no steps and no logs, and its `usage` may be incomplete. Reads the whole journal of a
// run that --until has ended.
std::optional<RunRecord> read_journal_ends(const std::string& file, std::string& error,
                                           std::optional<Moment> runs_at = {});

// True if a process is writing the journal, which means that the run is not over.
bool is_being_written(const std::string& file);

// The value for `runs_at`: the current time if a process is writing the journal; nothing: the run is over. Call it
// before the journal is read: if the run ends in between, the journal then shows its end.
std::optional<Moment> running_now(const std::string& file);

// ---- past_of.cc: what an earlier run leaves to the run that resumes it.

// The steps that are kept when the run is resumed: those that transitioned, and those whose branch is over
// (PastRun::judge). But a step runs again if the journal lacks its outputs, because they contain secrets, or if a file
// with its output is lost.
runner::PastRun past_of(const RunRecord& run);

// The last step of the state, from which --from runs everything again; nothing: the run had no step of this state.
std::optional<StepPlace> last_visit(const RunRecord& run, const std::string& state);

// Removes the step at `from`, and all steps that may depend on it (follows() in run_record.h).
void drop_from(RunRecord& run, const StepPlace& from);

// ---- stored_output.cc: the outputs of a step as an earlier run has kept them: in its journal, or whole in a file
// beside it.

// True if the step is one combination of a matrix, that is, a step directly below another step of the same state.
bool is_combination(const RunRecord& run, const StepRecord& step);

// The last visit of the state; if `branch` is not empty, the last one in that branch. For a state with a matrix, this
// is the step of the whole matrix, unless `branch` is that of a combination. nullptr: there is no such visit.
const StepRecord* last_visit_of(const RunRecord& run, const std::string& state, const std::string& branch = "");

struct JournaledOutput {
  std::string file;         // has every byte that the command wrote; empty: `text` is all that was kept
  std::uint64_t bytes = 0;  // the size of `file`
  std::string text;         // what the journal has
  bool whole = true;        // nothing is missing or replaced
  std::string notice;       // why the output is not whole, for people
};

JournaledOutput stored_output(const runner::Outcome& outcome, bool is_error_stream, bool masked);

// What is wrong with the file; empty: it exists and has the bytes that were written to it.
std::string file_problem(const runner::WholeOutput& whole);

// ---- resume.cc: continues an earlier run.

// What is needed to continue it.
struct ResumedRun {
  std::unique_ptr<Journal> journal;  // locked, and ready to be continued
  // The earlier run: its file, its inputs, and its steps without those that --from has dropped.
  RunRecord run;
  runner::PastRun past;
  std::vector<std::string> notices;  // to show to a person before the run continues
};

// `wanted` is as in find_run (journal/runs_folder.h). `from`: a state; everything from its last visit on runs again.
// Empty: only unfinished steps run again; if --until ended the run, it continues after that state, and the `until` of
// the result is empty. Nothing: `error` says why the run cannot be resumed, and what to do.
std::optional<ResumedRun> resume_run(const std::string& directory, const std::string& wanted, const std::string& from,
                                     Journal::Options options, std::string& error);

}  // namespace wtool::host::journal
