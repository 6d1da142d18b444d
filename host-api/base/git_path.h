// The path in one of git's files that name another folder: a file `.git` ("gitdir: PATH"), `commondir`, `gitdir`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wtool {

// The path in the content of such a file, as git reads it: exactly `prefix`, and then all up to the line breaks at the
// end. A blank belongs to the path. Nothing: the content is anything else, with which git fails or does what this
// function does not know.
std::optional<std::string> path_in_git_file(std::string_view content, std::string_view prefix = {});

}  // namespace wtool
