// The terminal tools: sessions with a directory, variables and background processes of their own, in which allowed
// programs run, one at a time, without a shell. docs/guide/terminal.md describes them.
#pragma once

#include "tools/tool.h"

namespace wtool::tools {

Tool terminal_create_session();
Tool terminal_execute_command();
Tool terminal_close_session();
Tool terminal_get_status();

}  // namespace wtool::tools
