// Programs that are made to be used by a person at a terminal: editors, pagers, monitors. Without a terminal they wait
// for ever, or do something that nobody meant.
#pragma once

#include <string>
#include <vector>

namespace wtool::policy {

// True where the program is one of them, and no argument makes it work by itself (`top -b`, `emacs --batch`) or only
// tell about itself (`vim --version`). `words`: at least one.
bool needs_terminal(const std::vector<std::string>& words);

}  // namespace wtool::policy
