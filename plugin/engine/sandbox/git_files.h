// Reads git's files without running git, and with limits, since anybody may have written the files.
//
// - From a configuration, it reads what git would execute or read.
// - From an index, it reads which folders are submodules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wtool::engine {

struct GitSetting {
  std::string key;  // "section.name" in lower case; a subsection is left out
  std::string value;
};

// Every setting of a configuration's text, in order. Stops at malformed text, because git refuses such a file.
std::vector<GitSetting> read_git_settings(std::string_view text);

// The words of a command line that look like paths: those with a slash, without quotes or a leading "!".
std::vector<std::string> paths_in_command(std::string_view line);

// True if git, with this index (the file's content), treats the folder as a submodule and so runs git in it for `git
// status`. Also true if that is uncertain: the index is malformed, or part of it is in another file.
bool is_submodule(std::string_view index, const std::string& folder);

}  // namespace wtool::engine
