// An older form of workflow files has the actions in the descriptions of states:
//
//   Greet: Greets somebody
//   Greet: action: log
//   Greet: message: "Hello {{ name }}"
//
// The lines of a state, without its name, are one YAML map.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

inline constexpr std::size_t largest_description = 64 * 1024;  // bytes, of a state that says what it does

struct DescriptionLine {
  std::string_view text;   // all behind the colon and one blank
  std::size_t offset = 0;  // of it
};

// Fills the state from all its descriptions, in order: kind, action, description. Without a key such as `action:` in
// the first two lines they are plain text, of which the last one counts.
void read_descriptions(std::size_t state, const std::vector<DescriptionLine>& lines, Workflow& workflow,
                       Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
