// What the subcommands for earlier runs share: finding the run that the command line names, reading its workflow, and
// writing its reports into files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "journal/run_record.h"
#include "workflow/model/model.h"

namespace wtool::host {

struct PastRunFile {
  journal::RunRecord run;
  bool being_written = false;
};

// The run that `wanted` names (journal/runs_folder.h), below the working directory. If its journal is damaged, the part
// that can be read is returned, and the damage is reported on stderr. Nothing: the reason is on stderr.
std::optional<PastRunFile> read_past_run(const std::string& wanted);

// The same for one workflow file: `last` means its last run, and a run of another file is refused.
std::optional<PastRunFile> read_past_run_of(const std::string& file, const std::string& wanted);

// The id of a run of `file` below `directory`. `wanted`: the id, its beginning, or `last` for the last run of the file.
// Empty: `error` says why, such as that the run is of a different file.
std::string run_of_file(const std::string& directory, const std::string& file, const std::string& wanted,
                        std::string& error);

// The ids of all runs of `file` that are kept below `directory`, the newest first. Empty: `error` says why.
std::vector<std::string> runs_of_file(const std::string& directory, const std::string& file, std::string& error);

// True if a person means the workflow of the run by `wanted`: by its name, by its file or the name of that file, or by
// the workflow file that `wanted` stands for now (`file`; empty: it stands for none).
bool is_run_of(const journal::RunRecord& run, const std::string& wanted, const std::string& file);

// The workflow file, parsed but not checked. Mistakes in it are reported on stderr. Nothing: the file or its diagram
// could not be read.
std::optional<workflow::Workflow> read_workflow(const std::string& file);

// False: the run cannot be continued, because its workflow was read from standard input; that is then on stderr.
bool has_workflow_file(const journal::RunRecord& run);

// The workflow of the run, if its file still exists unchanged. Nothing: `why` has the reason.
std::optional<workflow::Workflow> workflow_of_run(const journal::RunRecord& run, std::string& why);

// True if `file`, which is to be written, is the same file as `other`, perhaps under another name; the reason is then
// on stderr. `what` says in words what `other` is, such as "the workflow file".
bool overwrites(const std::string& file, const std::string& other, const std::string& what);
inline bool is_the_workflow(const std::string& file, const std::string& workflow) {
  return overwrites(file, workflow, "the workflow file");
}
// How many of the files are `-`, standard output.
std::size_t to_standard_output(const std::vector<std::string>& files);
// False if two of the files are the same; the reason is then on stderr. Empty names and `-` do not count.
bool are_apart(const std::vector<std::string>& files);

// True if write_report() could write this file now; otherwise, the reason is on stderr. Changes nothing. If
// the file's folder is missing below the working directory, the file counts as writable: the run may make the folder.
bool can_write_report(const std::string& file);

// Writes a report into a file that the command line names. The caller passes the file's name through
// resolve_links_above (base/files.h) before the first command runs. Makes the file, or replaces its content; `-` is
// standard output. False: the reason is on stderr; if there is no space, the file keeps its content.
bool write_report(const std::string& file, std::string_view text);

// Writes each report that has a file name. `workflow` and `being_written` are as in report/formats.h. False: the
// reason is on stderr.
bool write_reports(const journal::RunRecord& run, const workflow::Workflow* workflow, const std::string& junit,
                   const std::string& html, bool being_written = false);

}  // namespace wtool::host
