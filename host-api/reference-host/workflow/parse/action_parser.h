// Reads one item `- State: action` under `## Actions`, and gives the state its action.
#pragma once

#include <string_view>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// A name without the marks of bold text or code around it.
std::string_view plain_state_name(std::string_view id);

// Anything that is not understood is a diagnostic. `- on failure: State` and `- finally: State` are for the whole
// workflow, unless a state has that name.
void read_action(const ActionItem& item, Workflow& workflow, Diagnostics& diagnostics);

// The same for an action elsewhere in the file: `text` is everything after the state's name, `offset` the place of its
// line.
void read_action_of(std::string_view state, std::size_t offset, const MappedText& text,
                    const std::vector<CodeBlock>& blocks, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
