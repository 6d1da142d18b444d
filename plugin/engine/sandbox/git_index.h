// Reads from a git index which folders are submodules.
#pragma once

#include <string>
#include <string_view>

namespace wtool::engine {

// Whether git, with this index (the file's content), takes the folder for a submodule and so runs git in it for `git
// status`. Also true if that is uncertain: the index is malformed, or part of it is in another file.
bool is_submodule(std::string_view index, const std::string& folder);

}  // namespace wtool::engine
