// Writes reports of a run into files that the command line names. The caller passes their names through
// resolve_links_above (base/new_file.h) before the first command runs.
#pragma once

#include <string>
#include <string_view>

#include "journal/run_record.h"
#include "workflow/model/model.h"

namespace wtool::host {

// Makes the file, or replaces it; `-` is standard output. False: the reason is on stderr.
bool write_report(const std::string& file, std::string_view text);

// Writes those reports whose file is not empty. `workflow` may be null (report/html_report.h).
bool write_reports(const journal::RunRecord& run, const workflow::Workflow* workflow, const std::string& junit,
                   const std::string& html);

}  // namespace wtool::host
