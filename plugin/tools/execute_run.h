// The tool execute_run: one command without a shell. It runs at once where it can reach only the project's files and
// history, and otherwise only after a person has approved it. docs/guide/execute-run.md describes it.
#pragma once

#include "tools/tool.h"

namespace wtool::tools {

Tool execute_run();

}  // namespace wtool::tools
