// What single lines of a workflow file look like, and the copy of it that md4c reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

bool is_heading(std::string_view line);
// A heading that reads `Actions`.
bool is_actions_heading(std::string_view line);
bool is_fence(std::string_view line);
bool is_list_line(std::string_view line);
// `stateDiagram-v2` alone on its line.
bool is_diagram_start(std::string_view line);

// The text with all inline markdown blanked out, so that offsets stay. The lines in `blank`, which is sorted, are
// blanked completely.
std::string masked(const Source& source, const std::vector<LineRange>& blank);

}  // namespace wtool::host::workflow
