#include "tools/table.h"

#include "tools/execute_command.h"
#include "tools/shell_execute.h"

namespace wtool::tools {

std::span<const Tool> all() {
  static const Tool table[] = {
      shell_execute(),
      execute_command(),
  };
  return table;
}

}  // namespace wtool::tools
