// All tools of the plugin, each in the file of its name. A new one is a file here, its function below, and a line in
// table.cc.
#pragma once

#include <span>

#include "tools/tool.h"

namespace wtool::tools {

std::span<const Tool> all();

Tool shell_execute();    // docs/guide/shell-execute.md
Tool execute_command();  // docs/guide/execute-command.md
Tool execute_run();      // docs/guide/execute-run.md

// terminal/: sessions with a directory, variables and background processes of their own, in which allowed programs run,
// one at a time, without a shell. docs/guide/terminal.md describes them.
Tool terminal_create_session();
Tool terminal_execute_command();
Tool terminal_close_session();
Tool terminal_get_status();

}  // namespace wtool::tools
