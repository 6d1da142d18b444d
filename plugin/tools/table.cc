#include "tools/table.h"

#include "tools/execute_command.h"
#include "tools/execute_run.h"
#include "tools/shell_execute.h"
#include "tools/terminal.h"

namespace wtool::tools {

std::span<const Tool> all() {
  static const Tool table[] = {
      shell_execute(),
      execute_command(),
      terminal_create_session(),
      terminal_execute_command(),
      terminal_close_session(),
      terminal_get_status(),
      execute_run(),
  };
  return table;
}

}  // namespace wtool::tools
