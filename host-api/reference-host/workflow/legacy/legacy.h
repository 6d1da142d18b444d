// The two older notations of workflow files. One has the actions in the descriptions of states (legacy_actions.cc):
//
//   Greet: Greets somebody
//   Greet: action: log
//   Greet: message: "Hello {{ name }}"
//
// The lines of a state, without its name, are one YAML map.
//
// The other notation has a section for each state (legacy_sections.cc):
//
//   ## States
//   ### Build
//   **Type**: Action
//   **Action**: Shell "make"
//   **Store As**: build
//
// and parameters as a list under `## Parameters`.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

inline constexpr std::size_t max_description = 64 * 1024;  // bytes, of the description of a state

struct DescriptionLine {
  std::string_view text;   // everything after the colon and one blank
  std::size_t offset = 0;  // of `text`
};

// Fills kind, action and description of the state from its descriptions, which are in the order of the file. If neither
// of the first two begins with a key such as `action:`, all are plain text, and the last one is the description.
void read_descriptions(std::size_t state, const std::vector<DescriptionLine>& lines, Workflow& workflow,
                       Diagnostics& diagnostics);

// Fills sections and parameters of the document, from line `first` on.
void read_sections(const Source& source, std::size_t first, const std::vector<bool>& code_lines, Document& document);

// Applies the sections to the states. Actions in sections are used only if there is no item under `## Actions`, and the
// list of parameters only if the front matter has no parameters.
void apply_sections(const Document& document, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
