// find: which words of its expression are safe, and which are text.
#pragma once

#include "policy/programs/reader.h"

namespace wtool::policy::programs {

std::optional<Problem> check_find(const ParsedCommand& reading);
// -files0-from: a file that names the paths to begin at.
std::optional<Problem> find_list_of_files(const ParsedCommand& reading);
void mark_find_text(const Words& words, std::vector<bool>& text);

}  // namespace wtool::policy::programs
