// The tool execute_run: one command without a shell, at once where the project's files and history are all that it can
// reach, and otherwise only with a person's yes. docs/guide/execute-run.md is its specification's answer.
#pragma once

#include "tools/tool.h"

namespace wtool::tools {

Tool execute_run();

}  // namespace wtool::tools
