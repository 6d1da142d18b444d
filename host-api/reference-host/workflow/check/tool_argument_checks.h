// Compares the arguments of `Call tool` with the schema that the tool itself gives: names, required ones, and the types
// of values that are known before a run.
#pragma once

#include <string>

#include "workflow/model/findings.h"
#include "workflow/model/model.h"

namespace wtool::host::workflow {

// `schema` is JSON text of an object schema; a part of it that is not understood forbids nothing.
void check_tool_arguments(const ToolAction& action, const std::string& schema, Findings& findings);

}  // namespace wtool::host::workflow
