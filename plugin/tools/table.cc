#include "tools/tool.h"

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
      pty_start(),
      pty_send(),
      pty_read(),
      pty_resize(),
      pty_stop(),
      pty_list(),
  };
  return table;
}

}  // namespace wtool::tools
