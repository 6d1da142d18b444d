// Reads a whole workflow file. The functions for its parts are in the files that are named below.
//
//   Diagnostics diagnostics;
//   const Workflow workflow = parse_workflow(source, diagnostics);
//   if (!diagnostics.empty()) std::cerr << diagnostics.text(source);
#pragma once

#include <string_view>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/environment_file.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

// Always returns a workflow. Mistakes go to `diagnostics`; a workflow with any error must not be run. Takes time linear
// in the size of the file. The files that `env_file` names are read only if `environment` is given.
Workflow parse_workflow(const Source& source, Diagnostics& diagnostics, const EnvironmentSource* environment = nullptr);

// diagram.cc: reads the lines of a mermaid stateDiagram-v2. What only changes the look of the diagram (direction,
// notes, styles, titles) is accepted and ignored. Anything else that is not understood is reported, because ignoring
// it would change the run. Fills states, index and start. The first line of `lines` is the word stateDiagram-v2.
void read_diagram(const Source& source, LineRange lines, Workflow& workflow, Diagnostics& diagnostics);

// lost_actions.cc: finds actions in the wrong place of a workflow file, where they would have no effect: list items
// outside of the `Actions` section, and descriptions of states in the diagram. Call it after all other actions were
// read: if a state has an action, further text about it is documentation. An action that is found becomes the state's
// action, so that it is not also reported as missing.
void find_lost_actions(const Source& source, const Document& document, Workflow& workflow, Diagnostics& diagnostics);

// A name without the marks of bold text or code around it.
std::string_view plain_state_name(std::string_view id);

// action_parser.cc: reads one item `- State: action` under `## Actions`, and gives the state its action. Anything that
// is not understood is reported. `- on failure: State` and `- finally: State` are for the whole workflow, unless a
// state is called `on failure` or `finally`.
void read_action(const ActionItem& item, Workflow& workflow, Diagnostics& diagnostics);

// The same for an action elsewhere in the file: `text` is everything after the state's name, `offset` the place of its
// line.
void read_action_of(std::string_view state, std::size_t offset, const MappedText& text,
                    const std::vector<CodeBlock>& blocks, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
