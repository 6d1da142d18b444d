// Compares the arguments of `Call tool` with the tool's own schema: names, required ones, and the types, ranges and
// lengths of values that are known before a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "workflow/model/diagnostics.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// `schema` is JSON text of an object schema; a part of it that is not understood forbids nothing.
void check_tool_arguments(const ToolAction& action, const std::string& schema, std::optional<std::int64_t> timeout_max,
                          Diagnostics& diagnostics);

// The option `timeout` of a step; `longest` in seconds.
void check_timeout(const TemplateText& timeout, std::int64_t longest, Diagnostics& diagnostics);

}  // namespace wtool::host::workflow
