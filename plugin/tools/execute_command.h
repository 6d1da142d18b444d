// The tool execute_command: one program with its arguments, without a shell, answered as YAML. The host's environment
// says which programs may run (ALLOWED_COMMANDS), and where (ALLOWED_CWD_ROOTS). It is read again at each call.
#pragma once

#include "tools/tool.h"

namespace wtool::tools {

Tool execute_command();

}  // namespace wtool::tools
