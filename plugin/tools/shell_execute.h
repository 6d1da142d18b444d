// The tool shell_execute: one shell command with a time limit, its output and exit code as a structured result.
#pragma once

#include "tools/tool.h"

namespace wtool::tools {

Tool shell_execute();

}  // namespace wtool::tools
