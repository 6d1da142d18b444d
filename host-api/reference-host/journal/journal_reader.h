// Reads the journal of a run, however the run ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "journal/run_record.h"
#include "runner/past_run.h"

namespace wtool::host::journal {

struct JournalContent {
  RunRecord run;
  std::uint64_t whole_bytes = 0;     // up to the end of the last whole line
  std::vector<std::string> notices;  // what people should know, such as a torn last line
  std::string damage;                // what is wrong with the first line that is none; with it, no run can be resumed
};

// Nothing: there is nothing that could be shown; `error` says why.
std::optional<JournalContent> read_journal(const std::string& file, std::string& error);

// The beginning and the end of a journal alone, for a list of many: no steps, no logs. Otherwise as read_journal.
std::optional<RunRecord> read_journal_ends(const std::string& file, std::string& error);

// Whether some process is writing it, because the run is not over.
bool is_being_written(const std::string& file);

// What a run that resumes this one keeps: its steps that transitioned, without those whose outputs are missing in the
// journal because they contain secrets; these run again.
runner::PastRun past_of(const RunRecord& run);

// The last step of that state, from which on --from runs everything again; nothing: no step was in that state.
std::optional<StepPlace> last_visit(const RunRecord& run, const std::string& state);

// Takes out what follows from there.
void drop_from(RunRecord& run, const StepPlace& from);

}  // namespace wtool::host::journal
