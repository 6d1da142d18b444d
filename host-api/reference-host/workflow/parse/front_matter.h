// The YAML between the two `---` at the top: the workflow's name, its parameters, its limit of steps.
#pragma once

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"
#include "workflow/model/source.h"
#include "workflow/parse/markdown.h"

namespace wtool::host::workflow {

inline constexpr std::size_t largest_front_matter = 256 * 1024;  // bytes
inline constexpr std::int64_t max_steps_allowed = 10'000'000;

// Fills name, title, description, version, parameters, tool, max_steps, fail_fast, on_failure and finally. An unknown
// key is an error if it is similar to a known one, and otherwise a warning.
void read_front_matter(const Source& source, LineRange lines, Workflow& workflow, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
