// What the subcommands for earlier runs share: a run that the command line names, its workflow, and its reports as
// files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "journal/run_record.h"
#include "workflow/model/model.h"

namespace wtool::host {

struct PastRunFile {
  journal::RunRecord run;
  bool being_written = false;
};

// The run that `wanted` names (journal/runs_folder.h), below the working directory. Damage to its journal that still
// leaves something to show is reported on stderr. Nothing on failure; the reason is on stderr, too.
std::optional<PastRunFile> read_past_run(const std::string& wanted);

// The same for one workflow file: `last` means its last run, and a run of another file is refused.
std::optional<PastRunFile> read_past_run_of(const std::string& file, const std::string& wanted);

// The id of the run below `directory` that `wanted` names: an id, or `last` for the last run of `file`. It must be a
// run of `file`. Empty on failure; `error` says why.
std::string run_of_file(const std::string& directory, const std::string& file, const std::string& wanted,
                        std::string& error);

// The workflow file, parsed but not checked. What is wrong is on stderr. Nothing: its diagram could not be read.
std::optional<workflow::Workflow> read_workflow(const std::string& file);

// The workflow of the run, if its file still exists unchanged. Nothing otherwise: `why` has the reason.
std::optional<workflow::Workflow> workflow_of_run(const journal::RunRecord& run, std::string& why);

// Writes a report into a file that the command line names. The caller passes its name through resolve_links_above
// (base/files.h) before the first command runs. Makes the file, or replaces it; `-` is standard output. False: the
// reason is on stderr.
bool write_report(const std::string& file, std::string_view text);

// Writes those reports whose file is not empty. `workflow` may be null (report/formats.h).
bool write_reports(const journal::RunRecord& run, const workflow::Workflow* workflow, const std::string& junit,
                   const std::string& html);

}  // namespace wtool::host
