#include "tools/table.h"

#include "tools/execute_run.h"
#include "tools/shell_execute.h"

namespace wtool::tools {

std::span<const Tool> all() {
  static const Tool table[] = {
      execute_run(),
      shell_execute(),
  };
  return table;
}

}  // namespace wtool::tools
