// Reads the journal of a run, however the run ended: for showing it, for its outputs, and for resuming it (resume.cc).
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

// Nothing: `error` says why the run cannot be shown.
std::optional<JournalContent> read_journal(const std::string& file, std::string& error);

// Reads what a list of runs shows: the run without its steps and logs. Otherwise like read_journal, but faster, because it
// parses only the beginning of a journal, its end, and the records of resumptions.
std::optional<RunRecord> read_journal_ends(const std::string& file, std::string& error);

// Whether some process is writing the journal, because the run is not over.
bool is_being_written(const std::string& file);

// What a run that resumes this one keeps: the steps that transitioned, or that are in a branch that is over. A step
// runs again if the journal lacks its outputs, because they contain secrets, or if a file with its output is lost.
runner::PastRun past_of(const RunRecord& run);

// The last step of the state, from which --from runs everything again; nothing: the run had no step of this state.
std::optional<StepPlace> last_visit(const RunRecord& run, const std::string& state);

// Removes the step at `from`, and all steps that follow it.
void drop_from(RunRecord& run, const StepPlace& from);

// ---- The outputs of a step as an earlier run has kept them: in its journal, or whole in a file beside it.

// Whether the step is one combination of a matrix: a step below the step of the same state.
bool is_combination(const RunRecord& run, const StepRecord& step);

// The last visit of the state, in `branch` if it is not empty. The combinations of a matrix count only if their branch
// is given; the step of the whole matrix counts otherwise. Null: no such visit.
const StepRecord* last_visit_of(const RunRecord& run, const std::string& state, const std::string& branch = "");

struct JournaledOutput {
  std::string file;    // has every byte that the command wrote; empty: `text` is all that was kept
  std::string text;    // what the journal has
  bool whole = true;   // nothing is missing or replaced
  std::string notice;  // why the output is not whole, for people
};

JournaledOutput stored_output(const runner::Outcome& outcome, bool is_error_stream, bool masked);

// What is wrong with the file; empty: it exists and has the bytes that were written to it.
std::string file_problem(const runner::WholeOutput& whole);

// What is needed to continue an earlier run (resume.cc).
struct ResumedRun {
  std::unique_ptr<Journal> journal;  // locked, and ready to be continued
  // The earlier run: its file, its inputs, and its steps without those that run again.
  RunRecord run;
  runner::PastRun past;
  std::vector<std::string> notices;  // to show to a person before the run continues
};

// `wanted` is as in find_run (journal/runs_folder.h). `from`: a state, from whose last visit on everything runs again;
// empty: only steps that are not done run. Nothing: `error` says why the run cannot be resumed, and what to do.
std::optional<ResumedRun> resume_run(const std::string& directory, const std::string& wanted, const std::string& from,
                                     Journal::Options options, std::string& error);

}  // namespace wtool::host::journal
