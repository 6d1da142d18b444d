#include "tools/table.h"

#include "tools/shell_execute.h"

namespace wtool::tools {

std::span<const Tool> all() {
  static const Tool table[] = {
      shell_execute(),
  };
  return table;
}

}  // namespace wtool::tools
