// All tools of the plugin. A new family is a pair of files here and a line in the table.
#pragma once

#include <span>

#include "tools/tool.h"

namespace wtool::tools {

std::span<const Tool> all();

}  // namespace wtool::tools
